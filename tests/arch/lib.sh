# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# lib.sh - what the checks of the architecture share; each of them takes the tree's root as $1.

# The folders with the product's own code; a tree that lacks one is being made by the self-test.
product_folders='common linux-agent windows-relay'

# product_files PATTERN... - the product's files of these names, relative to the current folder.
product_files() {
    for folder in $product_folders; do
        for pattern in "$@"; do
            [ ! -d "$folder" ] || find "$folder" -type f -name "$pattern"
        done
    done | sort
}

# tree_files PATTERN... - all files of these names, but nothing that was built or belongs to git.
tree_files() {
    for pattern in "$@"; do
        find . \( -path ./build -o -path ./.git -o -path ./.cache \) -prune -o \
            -type f -name "$pattern" -print
    done | sed 's|^\./||' | sort
}

# code FILE... - FILE:LINE:TEXT of every line, with the comments taken out of TEXT.
code() {
    [ $# -eq 0 ] || awk '
        FNR == 1 { in_comment = 0 }
        {
            text = ""
            quote = ""
            for (i = 1; i <= length($0); i++) {
                here = substr($0, i, 1)
                pair = substr($0, i, 2)
                if (in_comment) {
                    if (pair == "*/") { in_comment = 0; i++ }
                } else if (quote != "") {
                    text = text here
                    if (here == "\\") { i++; text = text substr($0, i, 1) }
                    else if (here == quote) quote = ""
                } else if (pair == "/*") {
                    in_comment = 1
                    i++
                } else if (pair == "//") {
                    break
                } else {
                    if (here == "\"" || here == "\047") quote = here
                    text = text here
                }
            }
            print FILENAME ":" FNR ":" text
        }' "$@"
}

# complain RULE - copies stdin to stdout below RULE. Returns whether there was something to complain about.
complain() {
    found=$(cat)
    [ -n "$found" ] || return 1
    printf '%s\n%s\n\n' "$1" "$found"
}
