/* SPDX-License-Identifier: MIT */
/* config_test.c - configuration text to settings, and a message for each mistake. */
#include "common/bridge/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/bridge/config_keys.h"
#include "common/core/err.h"
#include "common/os/stream.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void defaults(struct text *out)
{
    text_append_string(out, "[link]\naddress = tcp:127.0.0.1:5140\nrole = connect\n");
}

static void samples(struct text *out)
{
    text_append_string(out, "[output all]\nto = null:\n");
}

static const struct config_program program = {
    .name = "agent", .defaults = defaults, .samples = samples};

/* The configuration of <text>, which must be right. config_free() it. */
static struct config *parse(const char *text)
{
    struct config *c = NULL;
    struct text errors;
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    int r = config_parse(&program, "f", text, strlen(text), &c, &errors);
    assert_string_equal(text_string(&errors), "");
    assert_int_equal(r, 0);
    text_release(&errors);
    return c;
}

static void assert_errors(const char *text, const char *expected)
{
    struct config *c = NULL;
    struct text errors;
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    int r = config_parse(&program, "f", text, strlen(text), &c, &errors);
    assert_string_equal(text_string(&errors), expected);
    assert_int_equal(r, ERR_INVALID);
    assert_null(c);
    text_release(&errors);
}

/* ---- what is right ----------------------------------------------------------------------- */

static void config__no_text__has_the_defaults(void **state)
{
    struct config *c = parse("");
    (void)state;
    assert_string_equal(c->file, "f");
    assert_string_equal(c->node.name, "");
    assert_int_equal(c->node.drain_timeout_ms, 5000);
    assert_int_equal(c->link.address.kind, ENDPOINT_TCP);
    assert_int_equal(c->link.address.port, 5140);
    assert_int_equal(c->link.role, WIRE_CONNECTOR);
    assert_true(c->link.vm_id_auto);
    assert_string_equal(c->link.secret_file, "");
    assert_int_equal(c->link.heartbeat_ms, 2000);
    assert_int_equal(c->queue.memory, 64 * 1024 * 1024);
    assert_int_equal(c->input_count, 0);
    assert_int_equal(c->output_count, 0);
    assert_int_equal(c->log_level, LOG_INFO);
    assert_string_equal(c->control_path, "");
    config_free(c);
}

static void config__bare_input_and_output__have_the_defaults(void **state)
{
    struct config *c = parse("[input lan]\nlisten = udp:*:514\n"
                             "[input tcp]\nlisten = tcp:*:514\n"
                             "[output x]\nto = stdout:\n");
    const struct input_config *in = &c->inputs[0];
    const struct output_config *out = &c->outputs[0];
    (void)state;
    assert_int_equal(c->input_count, 2);
    assert_string_equal(in->name, "lan");
    assert_int_equal(in->line, 1);
    assert_int_equal(in->framer.framing, FRAMING_AUTO);
    assert_false(in->framer.multi_line);
    assert_int_equal(in->framer.max_message, 64 * 1024);
    assert_int_equal(in->allow_count, 0);
    assert_int_equal(in->max_connections, 10000);
    assert_int_equal(in->idle_timeout_ms, 0);
    assert_int_equal(in->receive_buffer, 8 * 1024 * 1024);
    assert_int_equal(c->inputs[1].receive_buffer, 0);
    assert_int_equal(c->output_count, 1);
    assert_string_equal(out->name, "x");
    assert_int_equal(out->line, 5);
    assert_int_equal(out->input_count, 0);
    assert_int_equal(out->framing, OUTPUT_LINE);
    assert_true(out->escape);
    assert_int_equal(out->prefix, PREFIX_NONE);
    config_free(c);
}

static void config__every_key__arrives_in_its_member(void **state)
{
    struct config *c = parse("[node]\n"
                             "name = host-1\n"
                             "state_dir = /var/lib/x\n"
                             "drain_timeout = 1500ms\n"
                             "[link]\n"
                             "address = tcp:[::1]:6000\n"
                             "role = listen\n"
                             "vm_id = {00112233-4455-6677-8899-AABBCCDDEEFF}\n"
                             "secret_file = \"/etc/hvlog/my #secret\"\n"
                             "heartbeat = 250ms\n"
                             "[queue]\n"
                             "memory = 1 GiB\n"
                             "[input lan.1]\n"
                             "listen = tcp:127.0.0.1:0\n"
                             "framing = octet\n"
                             "multi_line = yes\n"
                             "max_message = 1MiB\n"
                             "allow = 192.0.2.0/24, 2001:db8::1\n"
                             "max_connections = 7\n"
                             "idle_timeout = 10min\n"
                             "receive_buffer = 64KiB\n"
                             "[output out]\n"
                             "to = file:/var/log/x.log\n"
                             "inputs = a, b-2\n"
                             "framing = line\n"
                             "escape = no\n"
                             "prefix = source\n"
                             "[output net]\n"
                             "to = tcp:collector.example:601\n"
                             "framing = octet\n"
                             "[log]\n"
                             "level = debug\n"
                             "[control]\n"
                             "path = /run/x.sock\n");
    const struct input_config *in = &c->inputs[0];
    const struct output_config *out = &c->outputs[0];
    char id[UUID_TEXT_MAX];
    (void)state;
    assert_string_equal(c->node.name, "host-1");
    assert_string_equal(c->node.state_dir, "/var/lib/x");
    assert_int_equal(c->node.drain_timeout_ms, 1500);
    assert_string_equal(c->link.address.host, "::1");
    assert_int_equal(c->link.role, WIRE_LISTENER);
    assert_false(c->link.vm_id_auto);
    assert_string_equal(uuid_format(&c->link.vm_id, id),
                        "00112233-4455-6677-8899-aabbccddeeff");
    assert_string_equal(c->link.secret_file, "/etc/hvlog/my #secret");
    assert_int_equal(c->link.heartbeat_ms, 250);
    assert_int_equal(c->queue.memory, 1024 * 1024 * 1024);
    assert_string_equal(in->name, "lan.1");
    assert_int_equal(in->framer.framing, FRAMING_OCTET);
    assert_true(in->framer.multi_line);
    assert_int_equal(in->framer.max_message, 1024 * 1024);
    assert_int_equal(in->allow_count, 2);
    assert_int_equal(in->allow[0].bits, 24);
    assert_int_equal(in->allow[1].family, ADDRESS_IPV6);
    assert_int_equal(in->max_connections, 7);
    assert_int_equal(in->idle_timeout_ms, 600 * 1000);
    assert_int_equal(in->receive_buffer, 64 * 1024);
    assert_string_equal(out->to.path, "/var/log/x.log");
    assert_int_equal(out->input_count, 2);
    assert_string_equal(out->inputs[1], "b-2");
    assert_false(out->escape);
    assert_int_equal(out->prefix, PREFIX_SOURCE);
    assert_int_equal(c->outputs[1].framing, OUTPUT_OCTET);
    assert_string_equal(c->outputs[1].to.host, "collector.example");
    assert_int_equal(c->log_level, LOG_DEBUG);
    assert_string_equal(c->control_path, "/run/x.sock");
    config_free(c);
}

/* So that no key can be forgotten above: each says its default, that it must be set, or that it
 * is not there yet.
 */
static void config__table__is_whole_and_its_defaults_are_right(void **state)
{
    struct config *c = calloc(1, sizeof(*c));
    (void)state;
    assert_non_null(c);
    for (size_t i = 0; i < CONFIG_KEY_COUNT; i++) {
        const struct config_key *key = &config_keys[i];
        struct reason why;
        assert_non_null(config_section_find(view_of(key->section)));
        assert_ptr_equal(config_key_find(key->section, view_of(key->key)), key);
        assert_non_null(key->about);
        if (key->set == NULL)
            assert_string_equal(key->fallback, "not in this version yet");
        if (key->initial == NULL)
            continue;
        void *base = strcmp(key->section, "input") == 0    ? (void *)&c->inputs[0]
                     : strcmp(key->section, "output") == 0 ? (void *)&c->outputs[0]
                                                           : (void *)c;
        assert_int_equal(key->set(key, view_of(key->initial), base, &why), 0);
    }
    config_free(c);
}

static void config__file__overrides_the_program_key_by_key(void **state)
{
    struct config *c = parse("[link]\nrole = listen\n");
    (void)state;
    assert_int_equal(c->link.role, WIRE_LISTENER);
    assert_int_equal(c->link.address.port, 5140);
    config_free(c);
}

/* ---- what is wrong ----------------------------------------------------------------------- */

static void config__mistake__is_told_with_line_and_remedy(void **state)
{
    static const struct {
        const char *text, *errors;
    } cases[] = {
        {"[lnk]\n", "f:1: unknown section [lnk] (did you mean [link]?)\n"},
        {"[zzzzzz]\nx = 1\n", "f:1: unknown section [zzzzzz]\n"},
        {"[link]\nadress = x\n",
         "f:2: unknown key \"adress\" in [link] (did you mean address?)\n"},
        {"[queue]\nheartbeat = 2s\n",
         "f:2: unknown key \"heartbeat\" in [queue] (it belongs in [link])\n"},
        {"[log]\nqqqqqqqq = 1\n", "f:2: unknown key \"qqqqqqqq\" in [log]\n"},
        {"[log]\nlevel = inof\n",
         "f:2: level \"inof\" is not one of error, warn, info or debug (did you mean info?)\n"},
        {"[log]\nlevel = info\nlevel = warn\n", "f:3: level is set twice: first in line 2\n"},
        {"[log]\n\n[log]\n", "f:3: [log] is there twice: it began in line 1\n"},
        {"[input a]\nlisten = udp:*:1\n[input a]\nlisten = udp:*:2\n",
         "f:3: [input a] is there twice: it began in line 1\n"},
        {"[input]\n", "f:1: [input] needs a name, such as [input lan]\n"},
        {"[link wsl]\n", "f:1: [link] takes no name: write [link]\n"},
        {"level = info\n", "f:1: a setting must stand below a [section]\n"},
        {"[log\n", "f:1: the section's ']' is missing\n"},
        {"[queue]\nmemory = 64MB\n",
         "f:2: memory \"64MB\" is not a size: write a number and B, KiB, MiB or GiB (use MiB)\n"},
        {"[queue]\nmemory = 1MiB\n", "f:2: memory \"1MiB\" is too little: the least is 4MiB\n"},
        {"[queue]\nspool = off\n", "f:2: spool is not in this version yet\n"},
        {"[queue]\nspool_sync = yes\n", "f:2: spool_sync is not in this version yet\n"},
        {"[queue]\nspool_max = 1GiB\n", "f:2: spool_max is not in this version yet\n"},
        {"[link]\nheartbeat = 10ms\n",
         "f:2: heartbeat \"10ms\" is too little: the least is 100ms\n"},
        {"[link]\nheartbeat = 1h\n", "f:2: heartbeat \"1h\" is too much: the most is 5min\n"},
        {"[link]\naddress = vsok:2:5140\n",
         "f:2: address \"vsok:2:5140\" is not an address (did you mean vsock:?)\n"},
        {"[link]\naddress = udp:127.0.0.1:1\n",
         "f:2: address \"udp:127.0.0.1:1\" cannot stand here: write tcp:ADDR:PORT, unix:PATH, "
         "vsock:CID:PORT or hvsock:PORT\n"},
        {"[link]\naddress = tcp:*:5140\n",
         "f:2: address must name the other side: any address will not do (role is connect)\n"},
        {"[link]\nrole = listen\naddress = tcp:wsl.example:5140\n",
         "f:3: address has a host name: to listen, write an IP address or * (role is listen)\n"},
        {"[link]\nvm_id = 00000000-0000-0000-0000-000000000000\n",
         "f:2: vm_id \"00000000-0000-0000-0000-000000000000\" must be the GUID of one VM, not "
         "all zeros\n"},
        {"[node]\nname =\n", "f:2: name \"\" must not be empty\n"},
        {"[node]\nname = \xff\xfe\n", "f:2: name \"\xff\xfe\" is not text in UTF-8\n"},
        {"[node]\nname = a\xc2\x85z\n", "f:2: name \"a\xc2\x85z\" is not text in UTF-8\n"},
        {"[input lan]\n", "f:1: [input lan] has no listen: write listen = udp:*:514\n"},
        {"[input lan]\nlisten = tcp:host.example:514\n",
         "f:2: listen has a host name: to listen, write an IP address or *\n"},
        {"[input lan]\nlisten = hvsock:5140\n",
         "f:2: listen \"hvsock:5140\" cannot stand here: write udp:ADDR:PORT, tcp:ADDR:PORT, "
         "unix:PATH or unix-dgram:PATH\n"},
        {"[input a]\nlisten = udp:*:514\n[input b]\nlisten = udp::514\n",
         "f:4: [input b] listens where [input a] does (line 2)\n"},
        {"[link]\nrole = listen\n[input a]\nlisten = tcp:127.0.0.1:5140\n",
         "f:4: [input a] listens where [link] does\n"},
        {"[input a]\nlisten = udp:*:514\nrate = 100/s\nburst = 7\n",
         "f:3: rate is not in this version yet\nf:4: burst is not in this version yet\n"},
        {"[input a]\nlisten = udp:*:514\nallow = 192.0.2.1, 192.0.2.7/24\n",
         "f:3: allow \"192.0.2.1, 192.0.2.7/24\" has no address or prefix at place 2: write "
         "192.0.2.0/24 with no bits set behind the prefix\n"},
        {"[input a]\nlisten = unix:/x\nallow = 192.0.2.1\n",
         "f:3: allow is for udp and tcp: a unix socket is guarded by its folder\n"},
        {"[input a]\nlisten = tcp:*:514\nmax_connections = 0\n",
         "f:3: max_connections \"0\" is too little: the least is 1\n"},
        {"[output x]\n", "f:1: [output x] has no to: write to = file:PATH\n"},
        {"[output x]\nto = eventlog:\n", "f:2: to \"eventlog:\" is not in this version yet\n"},
        {"[output x]\nto = udp:*:514\n",
         "f:2: to must name the other side: any address will not do\n"},
        {"[output x]\nto = udp:h:514\nframing = octet\n",
         "f:3: framing = octet is for streams: a datagram is one message\n"},
        {"[output x]\nto = udp:h:514\nprefix = source\n",
         "f:3: prefix is for file: and stdout: only\n"},
        {"[output x]\nto = stdout:\nprefix = source\nframing = octet\n",
         "f:3: prefix needs framing = line\n"},
        {"[output x]\nto = null:\ninputs = a,,b\n",
         "f:3: inputs \"a,,b\" lacks an item: write a, b, c\n"},
        {"[output x]\nto = null:\ninputs = a, b/c\n",
         "f:3: inputs \"a, b/c\" has no name of an input at place 2\n"},
        {"[output x]\nto = null:\ninputs = a, b, a\n",
         "f:3: inputs \"a, b, a\" has the same name at places 1 and 3\n"},
        {"[output x]\nto = null:\nsource = none\n", "f:3: source is not in this version yet\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_errors(cases[i].text, cases[i].errors);
}

static void config__several_mistakes__are_told_at_once(void **state)
{
    (void)state;
    assert_errors("[log]\nlevel = loud\n[input a]\nlisten = nowhere\n[output x]\n",
                  "f:2: level \"loud\" is not one of error, warn, info or debug\n"
                  "f:4: listen \"nowhere\" is not an address: write udp:ADDR:PORT, "
                  "tcp:ADDR:PORT, unix:PATH or unix-dgram:PATH\n"
                  "f:5: [output x] has no to: write to = file:PATH\n");
}

static void config__many_mistakes__are_told_up_to_a_bound(void **state)
{
    struct text text, errors;
    struct config *c = NULL;
    size_t lines = 0;
    (void)state;
    text_init(&text, 4096);
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    text_append_string(&text, "[log]\n");
    for (int i = 0; i < 3 * CONFIG_COMPLAINTS_MAX; i++)
        text_append_string(&text, "wrong = 1\n");
    assert_int_equal(config_parse(&program, "f", text_string(&text), text.length, &c, &errors),
                     ERR_INVALID);
    for (const char *at = text_string(&errors); (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, CONFIG_COMPLAINTS_MAX + 1);
    assert_non_null(strstr(text_string(&errors), "f: more is wrong, but is not shown\n"));
    text_release(&text);
    text_release(&errors);
}

static void config__long_value__is_shown_in_part(void **state)
{
    char text[200] = "[log]\nlevel = ";
    (void)state;
    memset(text + strlen(text), 'x', 100);
    assert_errors(
        text, "f:2: level \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
              "...\" is not one of error, warn, info or debug\n");
}

static void config__too_many_inputs__is_a_mistake(void **state)
{
    struct text text;
    (void)state;
    text_init(&text, 65536);
    for (int i = 0; i <= INPUT_COUNT_MAX; i++)
        text_appendf(&text, "[input i%d]\nlisten = udp:127.0.0.1:%d\n", i, 1000 + i);
    assert_errors(text_string(&text), "f:129: more than 64 inputs\n");
    text_release(&text);
}

static void config__long_unix_path__is_a_mistake(void **state)
{
    char path[ENDPOINT_UNIX_PATH_MAX + 2], text[300];
    (void)state;
    memset(path, 'p', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    (void)snprintf(text, sizeof(text), "[control]\npath = %s\n", path);
    assert_errors(text, "f:2: path is longer than 107 octets\n");
    (void)snprintf(text, sizeof(text), "[control]\npath = %s\n", path + 1);
    config_free(parse(text));
}

/* What one system lacks the other has. */
static void config__link_of_another_system__is_a_mistake(void **state)
{
    (void)state;
    if (os_carrier_find("hvsock") != NULL) {
        assert_errors("[link]\naddress = hvsock:5140\nrole = listen\n",
                      "f:1: hvsock needs [link] vm_id = GUID in this version: "
                      "wsl.exe --exec wslinfo --vm-id says it\n");
        config_free(parse("[link]\naddress = hvsock:5140\nrole = listen\n"
                          "vm_id = 00112233-4455-6677-8899-aabbccddeeff\n"));
        assert_errors("[link]\naddress = vsock:2:5140\n",
                      "f:2: address: this system has no vsock\n");
    } else {
        assert_errors("[link]\naddress = hvsock:5140\nrole = listen\n",
                      "f:2: address: this system has no hvsock\n");
        config_free(parse("[link]\naddress = vsock:2:5140\n"));
    }
}

/* ---- files ------------------------------------------------------------------------------- */

static void write_file(const char *name, const char *text, size_t length)
{
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    assert_int_equal(fclose(f), 0);
}

static void config_load__file__is_named_and_completed(void **state)
{
    static const char text[] = "[output x]\nto = null:\n";
    struct config *c = NULL;
    struct text errors;
    (void)state;
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    write_file("config_test.conf", text, strlen(text));
    assert_int_equal(config_load(&program, "config_test.conf", &c, &errors), 0);
    (void)remove("config_test.conf");
    assert_string_equal(c->file, "config_test.conf");
    assert_true(strlen(c->node.name) > 0);
    assert_true(strlen(c->node.state_dir) > 0);
    assert_true(strlen(c->control_path) > 0);
    assert_true(c->control_path_is_default);
    config_free(c);
    text_release(&errors);
}

static void config_load__missing_file__is_told(void **state)
{
    struct config *c = NULL;
    struct text errors;
    (void)state;
    text_init(&errors, CONFIG_COMPLAINTS_BYTES);
    assert_int_equal(config_load(&program, "no-such.conf", &c, &errors), ERR_NOT_FOUND);
    assert_string_equal(text_string(&errors), "no-such.conf: not found\n");
    assert_null(c);
    text_release(&errors);
}

static void assert_secret(const char *content, size_t length, int expected, const char *what)
{
    struct config *c = parse("[link]\nsecret_file = config_test.secret\n");
    uint8_t *secret = NULL;
    size_t secret_length = 0;
    char error[CONFIG_ERROR_MAX] = "";
    write_file("config_test.secret", content, length);
    int r = config_secret(c, &secret, &secret_length, error);
    (void)remove("config_test.secret");
    assert_int_equal(r, expected);
    if (r == 0) {
        assert_int_equal(secret_length, strlen(what));
        assert_memory_equal(secret, what, secret_length);
    } else {
        assert_string_equal(error, what);
    }
    free(secret);
    config_free(c);
}

static void config_secret__file__is_read_without_white_space_around(void **state)
{
    static char large[CONFIG_SECRET_MAX + 2];
    (void)state;
    assert_secret(" \r\n0123456789 abcdef\t\r\n", 23, 0, "0123456789 abcdef");
    assert_secret("0123456789abcde\n\n\n", 18, ERR_INVALID,
                  "the secret in config_test.secret is shorter than 16 octets");
    memset(large, 's', sizeof(large) - 1);
    assert_secret(large, CONFIG_SECRET_MAX + 1, ERR_INVALID,
                  "the secret in config_test.secret is longer than 4096 octets");
    large[CONFIG_SECRET_MAX] = '\0';
    assert_secret(large, CONFIG_SECRET_MAX, 0, large);
}

static void config_secret__none__is_empty_and_a_missing_file_is_told(void **state)
{
    uint8_t *secret = (uint8_t *)&state;
    size_t length = 9;
    char error[CONFIG_ERROR_MAX];
    struct config *c = parse("");
    assert_int_equal(config_secret(c, &secret, &length, error), 0);
    assert_null(secret);
    assert_int_equal(length, 0);
    config_free(c);

    c = parse("[link]\nsecret_file = no-such.secret\n");
    assert_int_equal(config_secret(c, &secret, &length, error), ERR_NOT_FOUND);
    assert_string_equal(error, "cannot read the secret in no-such.secret: not found");
    config_free(c);
}

static void config_warnings__configuration_that_moves_nothing__is_told(void **state)
{
    struct config *c = parse("");
    struct text warnings;
    (void)state;
    text_init(&warnings, CONFIG_COMPLAINTS_BYTES);
    config_warnings(c, &warnings);
    assert_string_equal(text_string(&warnings), "f: there is no [input] and no [output]\n");
    text_release(&warnings);
    config_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(config__no_text__has_the_defaults),
        cmocka_unit_test(config__bare_input_and_output__have_the_defaults),
        cmocka_unit_test(config__every_key__arrives_in_its_member),
        cmocka_unit_test(config__table__is_whole_and_its_defaults_are_right),
        cmocka_unit_test(config__file__overrides_the_program_key_by_key),
        cmocka_unit_test(config__mistake__is_told_with_line_and_remedy),
        cmocka_unit_test(config__several_mistakes__are_told_at_once),
        cmocka_unit_test(config__many_mistakes__are_told_up_to_a_bound),
        cmocka_unit_test(config__long_value__is_shown_in_part),
        cmocka_unit_test(config__too_many_inputs__is_a_mistake),
        cmocka_unit_test(config__long_unix_path__is_a_mistake),
        cmocka_unit_test(config__link_of_another_system__is_a_mistake),
        cmocka_unit_test(config_load__file__is_named_and_completed),
        cmocka_unit_test(config_load__missing_file__is_told),
        cmocka_unit_test(config_secret__file__is_read_without_white_space_around),
        cmocka_unit_test(config_secret__none__is_empty_and_a_missing_file_is_told),
        cmocka_unit_test(config_warnings__configuration_that_moves_nothing__is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
