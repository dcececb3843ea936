# aider
# install: pip aider-chat==0.86.2
# checks: chat, stream
# note: A coding agent for the terminal. `--message` makes it do one task and end.

export OPENAI_API_BASE="$TRAMONTANE_URL/openai/v1" OPENAI_API_KEY="$TRAMONTANE_API_KEY"
cat > .aider.conf.yml <<YAML
model: openai/mistral-small-latest
analytics-disable: true
check-update: false
YAML
aider --message 'Which wind blows from the north?' --yes-always --no-git
# ---
ask() {
  aider --yes-always --no-git --no-pretty --no-show-model-warnings "$@" --message 'Which wind blows from the north?' | grep tramontane, | tail -1
}
echo "chat: $(ask --no-stream)"
echo "stream: $(ask --stream)"
