//! A server of the official Rust SDK with the features that tests/interop/sdk_server_test.py expects, over stdin and
//! stdout, or with --http at a URL that it prints.

use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt, model::*, service::RequestContext,
    transport::{
        stdio, streamable_http_server::StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};

#[derive(Clone)]
struct Peer;

/// Converts JSON to a protocol type.
fn made<T: serde::de::DeserializeOwned>(json: Value) -> Result<T, ErrorData> {
    serde_json::from_value(json).map_err(|error| ErrorData::internal_error(error.to_string(), None))
}

fn text(words: String) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words)])
}

fn name_form() -> Result<ElicitRequestParams, ErrorData> {
    Ok(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: "What is your name?".into(),
        requested_schema: made(json!({
            "type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]
        }))?,
    })
}

impl Peer {
    async fn ask_user(
        request: &CallToolRequestParams, context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answered = request.input_responses.as_ref().and_then(|all| all.get("name"));
        let content = if let Some(answer) = answered {
            answer["content"].clone()
        } else if context.protocol_version() == Some(ProtocolVersion::V_2026_07_28) {
            let mut requests = InputRequests::new();
            requests.insert("name".into(), InputRequest::Elicitation(ElicitRequest::new(name_form()?)));
            return Ok(InputRequiredResult::new(Some(requests), Some("asked".into())).into());
        } else {
            let answer = context.peer.create_elicitation(name_form()?).await
                .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            answer.content.unwrap_or_default()
        };
        Ok(text(format!("Hello, {}!", content["name"].as_str().unwrap_or("nobody"))).into())
    }
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder()
                .enable_tools().enable_resources().enable_prompts().enable_completions().build(),
        )
    }

    async fn list_tools(
        &self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let number = json!({"type": "number"});
        let tool = |name: &str, properties: Value| json!({"name": name, "inputSchema": {
            "type": "object", "properties": properties}});
        let mut add = tool("add", json!({"a": number, "b": number}));
        add["outputSchema"] = json!({"type": "object", "properties": {"sum": number}});
        made(json!({"tools": [
            tool("echo", json!({"text": {"type": "string"}})), add,
            tool("count_down", json!({"start": {"type": "integer"}})),
            tool("fail", json!({})), tool("ask_user", json!({})),
        ]}))
    }

    async fn call_tool(
        &self, request: CallToolRequestParams, context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = Value::Object(request.arguments.clone().unwrap_or_default());
        let number = |name: &str| arguments[name].as_f64().unwrap_or(0.0);
        match request.name.as_ref() {
            "echo" => Ok(text(arguments["text"].as_str().unwrap_or("").to_string()).into()),
            "add" => Ok(CallToolResult::structured(json!({"sum": number("a") + number("b")})).into()),
            "count_down" => {
                if let Some(token) = context.meta.get_progress_token() {
                    for step in 1..=arguments["start"].as_i64().unwrap_or(0) {
                        let progress = ProgressNotificationParam::new(token.clone(), step as f64);
                        let _ = context.peer.notify_progress(progress).await;
                    }
                }
                Ok(text("done".into()).into())
            }
            "fail" => Ok(CallToolResult::error(vec![ContentBlock::text("on purpose")]).into()),
            "ask_user" => Self::ask_user(&request, &context).await,
            other => Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        }
    }

    async fn list_resources(
        &self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        made(json!({"resources": [{"uri": "peer://text", "name": "text"}]}))
    }

    async fn list_resource_templates(
        &self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        made(json!({"resourceTemplates": [{"uriTemplate": "peer://item/{number}", "name": "item"}]}))
    }

    async fn read_resource(
        &self, request: ReadResourceRequestParams, _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let words = match request.uri.strip_prefix("peer://item/") {
            Some(number) => format!("item {number}"),
            None if request.uri == "peer://text" => "some text".into(),
            None => return Err(ErrorData::resource_not_found("no such resource", None)),
        };
        Ok(ReadResourceResult::new(vec![ResourceContents::text(words, request.uri)]).into())
    }

    async fn list_prompts(
        &self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        made(json!({"prompts": [{"name": "greet", "arguments": [{"name": "name", "required": true}]}]}))
    }

    async fn get_prompt(
        &self, request: GetPromptRequestParams, _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let arguments = serde_json::to_value(&request.arguments).unwrap_or_default();
        let words = format!("Say hello to {}", arguments["name"].as_str().unwrap_or("nobody"));
        Ok(GetPromptResult::new(vec![PromptMessage::new_text(Role::User, words)]).into())
    }

    async fn complete(
        &self, request: CompleteRequestParams, _: RequestContext<RoleServer>,
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
