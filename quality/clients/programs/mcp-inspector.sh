# MCP Inspector
# install: npm @modelcontextprotocol/inspector@2.12.0
# checks: mcp, connectors

inspect() {
  address="$TRAMONTANE_URL$1"
  shift
  mcp-inspector --cli "$address" --transport http --header "Authorization: Bearer $TRAMONTANE_API_KEY" --method "$@"
}
inspect /mcp tools/list
# ---
echo "mcp: $(inspect /mcp tools/list | tr -d '\n')"
gateway=/v1/connectors-gateway/winds/mcp
echo "connectors: $(inspect $gateway tools/call --tool-name wind_of --tool-arg place=Perpignan | tr -d '\n')"
