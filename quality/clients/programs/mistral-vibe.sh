# Mistral Vibe
# install: pip mistral-vibe==3.0.3
# checks: chat, tools, mcp, connectors
# note: At its start Vibe reads the [connectors](connectors.md#in-clients-that-call-tools-themselves) of the key's workspace and offers their tools. It asks for the model `mistral-vibe-cli-latest`, which stands for the first chat model. What it reports about itself is accepted and not kept.

export MISTRAL_API_KEY="$TRAMONTANE_API_KEY"
mkdir -p ~/.vibe
cat > ~/.vibe/config.toml <<TOML
enable_telemetry = false
enable_update_checks = false

[[providers]]
name = "mistral"
api_base = "$TRAMONTANE_URL/v1"
api_key_env_var = "MISTRAL_API_KEY"
backend = "mistral"
TOML
vibe mcp add tramontane --url "$TRAMONTANE_URL/mcp" --transport streamable-http --api-key-env MISTRAL_API_KEY
vibe --trust --auto-approve -p 'Which wind blows from the north?'
# ---
ask() {
  vibe --trust --auto-approve --max-turns 4 -p "$1"
}
echo "chat: $(vibe --trust -p 'Which wind blows from the north?')"
echo "tools: $(ask 'Call bash with {"command":"echo A-17 arrives on Thursday"}')"
echo "mcp: $(ask 'Call search_tool_functions with {"mode":"best_match","query":"list skills"}' | tr '\n' ' ')"
echo "connectors: $(ask 'Call run_typescript with {"code":"return await tools.connector_winds.wind_of({ place: \"Perpignan\" });"}')"
