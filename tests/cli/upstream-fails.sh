# A tool that fails writes nothing, and the next says what to look for.
mnfparse no-such-file.mnf | reduce --cb 18 | invariants
