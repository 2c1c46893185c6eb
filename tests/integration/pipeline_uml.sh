#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# pipeline_uml.sh PEER TCP UDP RATE - pipeline.sh over AF_VSOCK, in User-Mode Linux.
set -euo pipefail
export UML_SECONDS=850
here=$(cd "$(dirname "$0")" && pwd)
exec "$here/../support/uml-run" "$here/pipeline.sh" "$1" vsock "$2" "$3" "$4"
