//! server stdio|stateful|stateless|modern plain|list|text [PORT]: a server of the official Rust SDK.

use std::{error::Error, sync::Arc};

use axum::serve::ListenerExt;
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::RequestContext,
    transport::{
        stdio,
        streamable_http_server::{
            StreamableHttpServerConfig, StreamableHttpService, session::local::LocalSessionManager,
        },
    },
};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Echo {
    text: String,
}

#[derive(Deserialize)]
struct Add {
    a: f64,
    b: f64,
}

/// The tools are made once, and shared by all sessions and requests.
#[derive(Clone)]
struct Peer {
    tools: Arc<Vec<Tool>>,
    megabyte: Arc<String>,
}

fn tool(name: &str, description: &str, properties: Value, required: Value) -> Value {
    json!({"name": name, "description": description, "inputSchema": {
        "type": "object", "properties": properties, "required": required}})
}

fn tools_of(set: &str) -> Vec<Tool> {
    let number = json!({"type": "number"});
    let made = match set {
        "list" => (0..80).map(|i| {
            let mut tool = tool(
                &format!("tool_{i}"),
                "Does one of the many things that a tool can do, and says so in a sentence of ordinary length.",
                json!({"path": {"type": "string", "description": "Where to look"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                    "recursive": {"type": "boolean", "default": false}}),
                json!(["path", "limit"]),
            );
            tool["title"] = json!(format!("Tool number {i}"));
            tool
        }).collect(),
        "text" => vec![tool("text", "Gives a megabyte of text", json!({}), json!([]))],
        _ => {
            let mut add = tool("add", "Adds two numbers", json!({"a": number, "b": number}), json!(["a", "b"]));
            add["outputSchema"] = json!({"type": "object", "properties": {"sum": number}, "required": ["sum"]});
            vec![tool("echo", "Says the text back", json!({"text": {"type": "string"}}), json!(["text"])), add]
        }
    };
    made.into_iter().map(|tool| serde_json::from_value(tool).expect("a tool")).collect()
}

fn arguments<T: serde::de::DeserializeOwned>(request: CallToolRequestParams) -> Result<T, ErrorData> {
    serde_json::from_value(Value::Object(request.arguments.unwrap_or_default()))
        .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
}

fn words(text: String) -> CallToolResponse {
    CallToolResult::success(vec![ContentBlock::text(text)]).into()
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.tools.to_vec()))
    }

    async fn call_tool(
        &self, request: CallToolRequestParams, _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match request.name.as_ref() {
            "echo" => Ok(words(arguments::<Echo>(request)?.text)),
            "add" => {
                let Add { a, b } = arguments(request)?;
                Ok(CallToolResult::structured(json!({"sum": a + b})).into())
            }
            "text" => Ok(words(self.megabyte.to_string())),
            other => Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        }
    }
}

// A server has one core, so its runtime has one thread.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let sentence = "The quick brown fox \"jumps\" over the lazy dog, and nobody minds it at all.\n";
    let mut megabyte = sentence.repeat(1_000_000 / sentence.len() + 1);
    megabyte.truncate(1_000_000);
    let peer = Peer { tools: tools_of(&words[1]).into(), megabyte: megabyte.into() };
    if words[0] == "stdio" {
        peer.serve(stdio()).await?.waiting().await?;
        return Ok(());
    }
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(words[0] == "stateful")
        .with_json_response(true)
        .with_sse_keep_alive(None);
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(move || Ok(peer.clone()), sessions, config);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{}", words[2])).await?.tap_io(|stream| {
        let _ = stream.set_nodelay(true);
    });
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
