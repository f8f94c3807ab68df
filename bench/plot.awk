END { print "" }
