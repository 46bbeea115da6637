# shellcheck shell=bash
# For scripts that own an instance of the local stack, as demo, tests and bench do: source it, call instance_up.
# Whatever ends the script, Ctrl-C too, the instance is stopped.

instance_stack=${BASH_SOURCE[0]%/*}/stack
instance_dir=

# Starts the instance in DIR and exports its USHER_* into this shell.
instance_up() { # instance_up DIR [OPTIONS of `stack up`]
    local exports
    instance_dir=$1
    shift
    trap instance_down EXIT
    trap 'exit 130' INT
    trap 'exit 143' TERM
    exports=$("$instance_stack" up --dir "$instance_dir" "$@") || exit
    eval "$exports"
}

instance_down() {
    local status=$?
    # A second Ctrl-C must not leave servers behind.
    trap '' INT TERM
    trap - EXIT
    if ! "$instance_stack" down --dir "$instance_dir" && [ "$status" -eq 0 ]; then
        status=70
    fi
    exit "$status"
}
