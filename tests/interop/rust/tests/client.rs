//! The client of the official Rust SDK against `lanyard serve --demo`, in both eras. LANYARD_PROGRAM is the path of the
//! program, LANYARD_TRANSPORT the transport: http, otherwise stdio.
#![allow(deprecated)] // sampling

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient,
    model::*,
    service::{RequestContext, RunningService, ServiceError},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

#[derive(Clone)]
struct Host;

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let mut info = ClientConfig::default();
        info.capabilities =
            serde_json::from_value(json!({"elicitation": {"form": {}}, "sampling": {}, "roots": {}})).unwrap();
        info
    }

    async fn create_elicitation(
        &self, _: ElicitRequestParams, _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(serde_json::from_value(json!({"action": "accept", "content": {"name": "Ada", "guests": 3}})).unwrap())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(serde_json::from_value(json!({"roots": [{"uri": "file:///tmp/work", "name": "work"}]})).unwrap())
    }

    async fn create_message(
        &self, _: CreateMessageRequestParams, _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Ok(CreateMessageResult::new(
            SamplingMessage::new(Role::Assistant, SamplingMessageContentBlock::text("forty-two")),
            "test-model".into(),
        ))
    }
}

type Peer = RunningService<RoleClient, Host>;

async fn connect(mode: ClientLifecycleMode) -> Peer {
    let mut command = Command::new(std::env::var("LANYARD_PROGRAM").unwrap());
    command.args(["serve", "--demo"]);
    if std::env::var("LANYARD_TRANSPORT").as_deref() != Ok("http") {
        return Host.serve_with_lifecycle(TokioChildProcess::new(command).unwrap(), mode).await.unwrap();
    }
    command.args(["--http", "127.0.0.1:0"]).stdout(std::process::Stdio::piped());
    // Ends with the event loop of the test.
    let mut server = command.kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let line = lines.next_line().await.unwrap().unwrap();
    let url = line.split(' ').find(|word| word.starts_with("http://")).unwrap().to_owned();
    tokio::spawn(async move {
        let _ = server.wait().await;
    });
    let transport = StreamableHttpClientTransport::from_uri(url);
    Host.serve_with_lifecycle(transport, mode).await.unwrap()
}

fn modes() -> [ClientLifecycleMode; 2] {
    [
        ClientLifecycleMode::Initialize,
        ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
    ]
}

async fn call(peer: &Peer, name: &'static str, arguments: Value) -> Value {
    let mut params = CallToolRequestParams::new(name);
    params.arguments = arguments.as_object().cloned();
    serde_json::to_value(peer.call_tool(params).await.unwrap()).unwrap()
}

#[tokio::test]
async fn calls_tools() {
    for mode in modes() {
        let peer = connect(mode).await;
        let tools = peer.list_all_tools().await.unwrap();
        assert!(tools.iter().any(|tool| tool.name == "count_down"));
        assert_eq!(call(&peer, "echo", json!({"text": "grün"})).await["content"][0]["text"], "grün");
        let sum = call(&peer, "add", json!({"a": 1, "b": 2})).await;
        assert_eq!(sum["structuredContent"]["sum"].as_f64(), Some(3.0));
        assert_eq!(call(&peer, "fail", json!({})).await["isError"], true);
        let mut refused = CallToolRequestParams::new("fail");
        refused.arguments = json!({"way": "refusal"}).as_object().cloned();
        match peer.call_tool(refused).await {
            Err(ServiceError::McpError(error)) => assert_eq!(error.code.0, 1001),
            other => panic!("got {other:?}"),
        }
        peer.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn answers_questions() {
    for mode in modes() {
        let peer = connect(mode).await;
        let booked = call(&peer, "book_table", json!({})).await;
        assert_eq!(booked["content"][0]["text"], "a table for 3 in the name of Ada, inside");
        let answered = call(&peer, "ask_model", json!({"question": "?"})).await;
        assert_eq!(answered["content"][0]["text"], "test-model says: forty-two");
        let folders = call(&peer, "list_folders", json!({})).await;
        assert_eq!(folders["content"][0]["text"], "1 open folders\nfile:///tmp/work");
        peer.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn reads_resources_and_gets_prompts() {
    for mode in modes() {
        let peer = connect(mode).await;
        assert_eq!(peer.list_all_resource_templates().await.unwrap().len(), 2);
        let read = peer.read_resource(ReadResourceRequestParams::new("demo://greeting/Ada")).await.unwrap();
        assert_eq!(serde_json::to_value(read).unwrap()["contents"][0]["text"], "Hello, Ada!");
        assert!(peer.read_resource(ReadResourceRequestParams::new("demo://nothing")).await.is_err());
        let params: GetPromptRequestParams = serde_json::from_value(
            json!({"name": "review", "arguments": {"language": "rust", "code": "x"}})).unwrap();
        let prompt = serde_json::to_value(peer.get_prompt(params).await.unwrap()).unwrap();
        assert_eq!(prompt["messages"][0]["content"]["text"], "Review this Rust code:\n\nx");
        let completed = peer.complete(CompleteRequestParams::new(
            Reference::for_prompt("review"), ArgumentInfo::new("language", "c"))).await.unwrap();
        assert_eq!(completed.completion.values, ["c", "cpp"]);
        peer.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn returns_media() {
    for mode in modes() {
        let peer = connect(mode).await;
        let mix = call(&peer, "mix", json!({})).await;
        let kinds: Vec<_> = mix["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["text", "image", "audio", "resource_link", "resource"]);
        peer.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn carries_large_and_parallel_calls() {
    for mode in modes() {
        let peer = connect(mode).await;
        let large = "0123456789".repeat(120_000);
        assert!(call(&peer, "echo", json!({"text": large})).await["content"][0]["text"] == large.as_str());
        let mut calls = tokio::task::JoinSet::new();
        for number in 0..100 {
            let peer = peer.peer().clone();
            calls.spawn(async move {
                let mut params = CallToolRequestParams::new("echo");
                params.arguments = json!({"text": number.to_string()}).as_object().cloned();
                let result = serde_json::to_value(peer.call_tool(params).await.unwrap()).unwrap();
                assert_eq!(result["content"][0]["text"], number.to_string());
            });
        }
        calls.join_all().await;
        peer.cancel().await.unwrap();
    }
}
