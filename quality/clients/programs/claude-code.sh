# Claude Code
# install: npm @anthropic-ai/claude-code@2.1.325
# checks: chat, stream, tools
# scripts: yes
# note: A coding agent for the terminal. `-p` does one task and ends.

export ANTHROPIC_BASE_URL="$TRAMONTANE_URL/anthropic" ANTHROPIC_AUTH_TOKEN="$TRAMONTANE_API_KEY"
export ANTHROPIC_MODEL=mistral-small-latest ANTHROPIC_DEFAULT_HAIKU_MODEL=mistral-small-latest
export CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1
claude -p 'Which wind blows from the north?' </dev/null
# ---
ask() {
  claude --allowed-tools Bash -p "$@" </dev/null 2>/dev/null
}
echo "chat: $(ask 'Which wind blows from the north?')"
echo "stream: $(ask --output-format stream-json --verbose 'Which wind blows from the north?' | tail -1)"
echo "tools: $(ask 'Call Bash with {"command":"echo A-17 arrives on Thursday","description":"Ask"}' | tr '\n' ' ')"
