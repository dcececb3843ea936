# OpenAI Codex
# install: npm @openai/codex@0.166.0
# checks: chat, tools, responses
# note: A coding agent for the terminal, over the Responses API. `codex exec` does one task and ends.

mkdir -p ~/.codex
cat > ~/.codex/config.toml <<TOML
model = "mistral-small-latest"
model_provider = "tramontane"

[model_providers.tramontane]
name = "Tramontane"
base_url = "$TRAMONTANE_URL/openai/v1"
env_key = "TRAMONTANE_API_KEY"
wire_api = "responses"
TOML
codex exec --skip-git-repo-check 'Which wind blows from the north?' </dev/null
# ---
ask() {
  codex exec --skip-git-repo-check --dangerously-bypass-approvals-and-sandbox "$1" </dev/null
}
echo "chat: $(ask 'Which wind blows from the north?')"
echo "responses: $(ask 'Which wind blows from the north?')"
echo "tools: $(ask 'Call exec_command with {"cmd":"echo A-17 arrives on Thursday"}' | tr '\n' ' ')"
