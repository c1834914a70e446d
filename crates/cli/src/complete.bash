# Bash breaks words at `=` and `:`, which paths and values of `--set` have. The program completes whole words,
# and bash gets back what follows the last break.
_bandgraph_whole_words() {
    local line=$COMP_LINE rest current kept i
    local -a words=()
    local number=0
    for i in "${!COMP_WORDS[@]}"; do
        rest=${line#"${line%%[![:space:]]*}"}
        if ((i == 0)) || [[ $rest != "$line" ]]; then
            words+=("${COMP_WORDS[i]}")
        else
            words[${#words[@]}-1]+=${COMP_WORDS[i]}
        fi
        line=${rest#"${COMP_WORDS[i]}"}
        ((i == COMP_CWORD)) && number=$((${#words[@]} - 1))
    done
    current=${words[number]}
    kept=${current%"${current##*["=:"]}"}
    local -a COMP_WORDS=("${words[@]}")
    local COMP_CWORD=$number
    _clap_complete_bandgraph "$1" "$current" "$3"
    COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
complete -o nospace -o bashdefault -F _bandgraph_whole_words bandgraph
