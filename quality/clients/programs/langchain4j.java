// LangChain4j
// install: maven dev.langchain4j:langchain4j-mistral-ai:1.18.1 dev.langchain4j:langchain4j:1.18.1
// checks: chat, stream, tools, structured, embeddings, fim

import dev.langchain4j.model.mistralai.MistralAiChatModel;

class Program {
  static final String URL = System.getenv("TRAMONTANE_URL") + "/v1";
  static final String KEY = System.getenv("TRAMONTANE_API_KEY");
  static final MistralAiChatModel MODEL =
      MistralAiChatModel.builder().baseUrl(URL).apiKey(KEY).modelName("mistral-small-latest").build();

  public static void main(String[] args) {
    System.out.println("chat: " + MODEL.chat("Which wind blows from the north?"));
  }
}
// ---
class More {
  static final String URL = Program.URL;
  static final String KEY = Program.KEY;

  interface Clerk {
    String ask(String question);
  }

  record Person(String name, String city) {}

  interface Finder {
    Person find(String text);
  }

  static class Orders {
    @dev.langchain4j.agent.tool.Tool("When an order arrives")
    String order_status(@dev.langchain4j.agent.tool.P("The number of the order") String order_id) {
      return "A-17 arrives on Thursday";
    }
  }

  public static void main(String[] args) throws Exception {
    var streaming =
        dev.langchain4j.model.mistralai.MistralAiStreamingChatModel.builder().baseUrl(URL).apiKey(KEY).modelName("mistral-small-latest").build();
    var text = new StringBuilder();
    var done = new java.util.concurrent.CompletableFuture<String>();
    streaming.chat("Which wind blows from the north?", new dev.langchain4j.model.chat.response.StreamingChatResponseHandler() {
      public void onPartialResponse(String part) {
        text.append(part);
      }

      public void onCompleteResponse(dev.langchain4j.model.chat.response.ChatResponse response) {
        done.complete(text.toString());
      }

      public void onError(Throwable error) {
        done.completeExceptionally(error);
      }
    });
    System.out.println("stream: " + done.get());

    var clerk = dev.langchain4j.service.AiServices.builder(Clerk.class).chatModel(Program.MODEL).tools(new Orders()).build();
    System.out.println("tools: " + clerk.ask("When does my order A-17 arrive?"));

    var structured =
        MistralAiChatModel.builder()
            .baseUrl(URL)
            .apiKey(KEY)
            .modelName("mistral-small-latest")
            .supportedCapabilities(dev.langchain4j.model.chat.Capability.RESPONSE_FORMAT_JSON_SCHEMA)
            .build();
    var person = dev.langchain4j.service.AiServices.create(Finder.class, structured).find("Ada lives in Perpignan");
    System.out.println("structured: " + person.name() + ", " + person.city());

    var embedder = dev.langchain4j.model.mistralai.MistralAiEmbeddingModel.builder().baseUrl(URL).apiKey(KEY).modelName("mistral-embed").build();
    var vectors = embedder.embedAll(java.util.List.of(dev.langchain4j.data.segment.TextSegment.from("the wind"), dev.langchain4j.data.segment.TextSegment.from("the sea"))).content();
    System.out.println("embeddings: " + vectors.size() + " × " + vectors.get(0).dimension());

    var coder = dev.langchain4j.model.mistralai.MistralAiFimModel.builder().baseUrl(URL).apiKey(KEY).modelName("codestral-latest").build();
    System.out.println("fim: " + coder.generate("def add(a, b):\n", "\n").content());
  }
}
