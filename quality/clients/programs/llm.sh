# llm
# install: pip llm==0.36
# checks: chat, stream, structured, tools
# note: The plugin `llm-mistral` has no setting for the address; models of your own in `extra-openai-models.yaml` do.

export LLM_USER_PATH="$HOME/.llm"
mkdir -p "$LLM_USER_PATH"
llm keys set tramontane --value "$TRAMONTANE_API_KEY"
cat > "$LLM_USER_PATH/extra-openai-models.yaml" <<YAML
- model_id: tramontane
  model_name: mistral-small-latest
  api_base: $TRAMONTANE_URL/openai/v1
  api_key_name: tramontane
  supports_schema: true
  supports_tools: true
YAML
llm -m tramontane 'Which wind blows from the north?'
# ---
echo "chat: $(llm -m tramontane --no-stream 'Which wind blows from the north?')"
echo "stream: $(llm -m tramontane 'Which wind blows from the north?')"
echo "structured: $(llm -m tramontane --schema 'name, city' 'Who lives where?' | python -c 'import json,sys; p = json.load(sys.stdin); print(p["name"] + ", " + p["city"])')"
cat > tools.py <<PYTHON
def order_status(order_id: str) -> str:
    "When an order arrives"
    return f"{order_id} arrives on Thursday"
PYTHON
echo "tools: $(llm -m tramontane --functions tools.py 'When does my order A-17 arrive?')"
