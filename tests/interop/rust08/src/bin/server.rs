//! A server of rmcp 0.8 with the features that tests/interop/sdk_server_test.py expects, over stdin and stdout, or with --http
//! at a URL that it prints.

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt,
    model::*,
    service::RequestContext,
    transport::{
        stdio,
        streamable_http_server::{StreamableHttpService, session::local::LocalSessionManager},
    },
};
use serde_json::{Value, json};

#[derive(Clone)]
struct Peer;

/// Converts JSON to a protocol type.
fn made<T: serde::de::DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(failed)
}

fn failed(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn text(words: String) -> CallToolResult {
    CallToolResult::success(vec![Content::text(words)])
}

async fn ask_user(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let form = made(json!({"message": "What is your name?", "requestedSchema": {
        "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}}))?;
    let answer = context.peer.create_elicitation(form).await.map_err(failed)?;
    let content = answer.content.unwrap_or_default();
    Ok(text(format!("Hello, {}!", content["name"].as_str().unwrap_or("nobody"))))
}

async fn ask_model(context: &RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let question = made(json!({"maxTokens": 10, "messages": [
        {"role": "user", "content": {"type": "text", "text": "six times seven"}}]}))?;
    let answer = serde_json::to_value(context.peer.create_message(question).await.map_err(failed)?).map_err(failed)?;
    Ok(text(format!("the model says {}", answer["content"]["text"].as_str().unwrap_or("nothing"))))
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerInfo {
        ServerInfo {
            capabilities: ServerCapabilities::builder()
                .enable_tools().enable_resources().enable_prompts().enable_completions().build(),
            ..Default::default()
        }
    }

    async fn list_tools(
        &self, _: Option<PaginatedRequestParam>, _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let number = json!({"type": "number"});
        let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {
            "type": "object", "properties": properties}});
        let mut add = tool("add", json!({"a": number, "b": number}));
        add["outputSchema"] = json!({"type": "object", "properties": {"sum": number}});
        made(json!({"tools": [
            tool("echo", json!({"text": {"type": "string"}})), add,
            tool("count_down", json!({"start": {"type": "integer"}})),
            tool("fail", json!({})), tool("ask_user", json!({})), tool("ask_model", json!({})),
        ]}))
    }

    async fn call_tool(
        &self, request: CallToolRequestParam, context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let number = |name: &str| arguments[name].as_f64().unwrap_or(0.0);
        match request.name.as_ref() {
            "echo" => Ok(text(arguments["text"].as_str().unwrap_or("").to_string())),
            "add" => Ok(CallToolResult::structured(json!({"sum": number("a") + number("b")}))),
            "count_down" => {
                if let Some(token) = context.meta.get_progress_token() {
                    let start = arguments["start"].as_i64().unwrap_or(0);
                    for step in 1..=start {
                        let _ = context.peer.notify_progress(ProgressNotificationParam {
                            progress_token: token.clone(),
                            progress: step as f64,
                            total: Some(start as f64),
                            message: None,
                        }).await;
                    }
                }
                Ok(text("done".into()))
            }
            "fail" => Ok(CallToolResult::error(vec![Content::text("on purpose")])),
            "ask_user" => ask_user(&context).await,
            "ask_model" => ask_model(&context).await,
            other => Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        }
    }

    async fn list_resources(
        &self, _: Option<PaginatedRequestParam>, _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        made(json!({"resources": [{"uri": "peer://text", "name": "text"}]}))
    }

    async fn list_resource_templates(
        &self, _: Option<PaginatedRequestParam>, _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        made(json!({"resourceTemplates": [{"uriTemplate": "peer://item/{number}", "name": "item"}]}))
    }

    async fn read_resource(
        &self, request: ReadResourceRequestParam, _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResult, ErrorData> {
        let words = match request.uri.strip_prefix("peer://item/") {
            Some(number) => format!("item {number}"),
            None if request.uri == "peer://text" => "some text".into(),
            None => return Err(ErrorData::resource_not_found("no such resource", None)),
        };
        Ok(ReadResourceResult { contents: vec![ResourceContents::text(words, request.uri)] })
    }

    async fn list_prompts(
        &self, _: Option<PaginatedRequestParam>, _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        made(json!({"prompts": [{"name": "greet", "arguments": [{"name": "name", "required": true}]}]}))
    }

    async fn get_prompt(
        &self, request: GetPromptRequestParam, _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResult, ErrorData> {
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let words = format!("Say hello to {}", arguments["name"].as_str().unwrap_or("nobody"));
        made(json!({"messages": [{"role": "user", "content": {"type": "text", "text": words}}]}))
    }

    async fn complete(
        &self, request: CompleteRequestParam, _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let names: Vec<_> = ["Ada", "Alan", "Grace"].into_iter()
            .filter(|name| name.starts_with(&request.argument.value)).collect();
        made(json!({"completion": {"values": names}}))
    }
}

/// Serves until stdin ends.
async fn serve_http() -> Result<(), Box<dyn std::error::Error>> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}/mcp", listener.local_addr()?);
    std::thread::spawn(|| {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        std::process::exit(0);
    });
    let sessions = LocalSessionManager::default().into();
    let service = StreamableHttpService::new(|| Ok(Peer), sessions, Default::default());
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    if std::env::args().nth(1).as_deref() == Some("--http") {
        return serve_http().await;
    }
    Peer.serve(stdio()).await?.waiting().await?;
    Ok(())
}
