//! client stdio PATH_OF_LANYARD ERA | client http URL ERA: the client of rmcp 0.8 against `lanyard serve --demo`. Prints one
//! line per check: `check NAME ok|fail|na DETAIL`.

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceExt,
    model::*,
    service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService},
    transport::{StreamableHttpClientTransport, TokioChildProcess},
};
use serde_json::{Value, json};
use std::{
    process::Stdio,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{process::Command, time::{sleep, timeout}};

type Outcome = Result<(), String>;

/// Answers the server's questions and collects its notifications.
#[derive(Clone, Default)]
struct Host {
    seen: Arc<Mutex<Vec<String>>>,
}

impl Host {
    fn add(&self, what: String) {
        self.seen.lock().unwrap().push(what);
    }

    fn all(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientInfo {
        ClientInfo {
            capabilities: serde_json::from_value(json!({"elicitation": {}, "sampling": {}, "roots": {}})).unwrap(),
            ..Default::default()
        }
    }

    async fn create_elicitation(
        &self, request: CreateElicitationRequestParam, _: RequestContext<RoleClient>,
    ) -> Result<CreateElicitationResult, ErrorData> {
        let values = json!({"name": "Ada", "guests": 3, "place": "Bergen", "day": "2026-12-24"});
        let schema = serde_json::to_value(request.requested_schema).unwrap();
        let mut content = json!({});
        for name in schema["properties"].as_object().unwrap().keys() {
            if let Some(value) = values.get(name) {
                content[name] = value.clone();
            }
        }
        Ok(CreateElicitationResult { action: ElicitationAction::Accept, content: Some(content) })
    }

    async fn create_message(
        &self, _: CreateMessageRequestParam, _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        let answer = json!({"role": "assistant", "model": "test-model", "content": {"type": "text", "text": "forty-two"}});
        Ok(serde_json::from_value(answer).unwrap())
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(serde_json::from_value(json!({"roots": [{"uri": "file:///tmp/work", "name": "work"}]})).unwrap())
    }

    async fn on_progress(&self, step: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.add(format!("{}/{} {}", step.progress, step.total.unwrap_or(0.0), step.message.unwrap_or_default()));
    }

    async fn on_logging_message(&self, message: LoggingMessageNotificationParam, _: NotificationContext<RoleClient>) {
        self.add(serde_json::to_value(message.level).unwrap().as_str().unwrap().to_owned());
    }

    async fn on_resource_updated(&self, update: ResourceUpdatedNotificationParam, _: NotificationContext<RoleClient>) {
        self.add(update.uri);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.add("resources".into());
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.add("tools".into());
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.add("prompts".into());
    }
}

type Peer = RunningService<RoleClient, Host>;

async fn connect(transport: &str, address: &str) -> Result<Peer, String> {
    if transport != "stdio" {
        let transport = StreamableHttpClientTransport::from_uri(address.to_owned());
        return Host::default().serve(transport).await.map_err(|error| error.to_string());
    }
    let mut command = Command::new(address);
    command.args(["serve", "--demo"]);
    let (process, _) = TokioChildProcess::builder(command).stderr(Stdio::null()).spawn().map_err(|e| e.to_string())?;
    Host::default().serve(process).await.map_err(|error| error.to_string())
}

fn params(name: &str, arguments: Value) -> CallToolRequestParam {
    CallToolRequestParam { name: name.to_owned().into(), arguments: arguments.as_object().cloned() }
}

/// The result of a tool as JSON.
async fn call(peer: &Peer, name: &str, arguments: Value) -> Result<Value, String> {
    let result = peer.call_tool(params(name, arguments)).await.map_err(|error| error.to_string())?;
    Ok(serde_json::to_value(result).unwrap())
}

async fn text(peer: &Peer, name: &str, arguments: Value) -> Result<String, String> {
    Ok(call(peer, name, arguments).await?["content"][0]["text"].as_str().unwrap_or_default().to_owned())
}

async fn read(peer: &Peer, uri: &str) -> Result<String, String> {
    let result = peer.read_resource(ReadResourceRequestParam { uri: uri.into() }).await.map_err(|error| error.to_string())?;
    let contents = &serde_json::to_value(result).unwrap()["contents"][0];
    Ok(contents.get("text").or(contents.get("blob")).and_then(Value::as_str).unwrap_or_default().to_owned())
}

async fn prompt(peer: &Peer, name: &str, arguments: Value) -> Result<String, String> {
    let params = GetPromptRequestParam { name: name.into(), arguments: arguments.as_object().cloned() };
    let result = peer.get_prompt(params).await.map_err(|error| error.to_string())?;
    let message = &serde_json::to_value(result).unwrap()["messages"][0];
    Ok(message["content"]["text"].as_str().unwrap_or_default().to_owned())
}

async fn complete(peer: &Peer, request: Value) -> Result<Vec<String>, String> {
    let params: CompleteRequestParam = serde_json::from_value(request).map_err(|error| error.to_string())?;
    Ok(peer.complete(params).await.map_err(|error| error.to_string())?.completion.values)
}

fn equal<T: PartialEq + std::fmt::Debug>(got: T, want: T) -> Outcome {
    if got == want { Ok(()) } else { Err(format!("got {got:?}, want {want:?}").chars().take(300).collect()) }
}

fn holds(condition: bool, what: &str) -> Outcome {
    if condition { Ok(()) } else { Err(what.to_owned()) }
}

async fn came(peer: &Peer, wanted: &[&str]) -> Outcome {
    for _ in 0..1000 {
        let all = peer.service().all();
        if wanted.iter().all(|each| all.iter().any(|other| other == each)) {
            return Ok(());
        }
        sleep(Duration::from_millis(20)).await;
    }
    Err(format!("{:?} came", peer.service().all()))
}

async fn check_errors(peer: &Peer) -> Outcome {
    let failed = call(peer, "fail", json!({})).await?;
    holds(failed["isError"] == true && failed.to_string().contains("this tool always fails"), &failed.to_string())?;
    let wrong = call(peer, "weather", json!({"city": "Oslo", "units": "kelvin"})).await?;
    holds(wrong["isError"] == true && wrong.to_string().contains("units"), &wrong.to_string())?;
    holds(call(peer, "fail", json!({"way": "refusal"})).await.is_err(), "the call was not refused")?;
    equal(text(peer, "echo", json!({"text": "alive"})).await?, "alive".into())
}

async fn check_cancel(peer: &Peer) -> Outcome {
    let before: u32 = text(peer, "count_interrupted", json!({})).await?.parse().unwrap();
    let request = ClientRequest::CallToolRequest(Request::new(params("wait", json!({"seconds": 600}))));
    let handle = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.map_err(|e| e.to_string())?;
    sleep(Duration::from_millis(500)).await;
    handle.cancel(Some("no longer needed".into())).await.map_err(|error| error.to_string())?;
    for _ in 0..100 {
        if text(peer, "count_interrupted", json!({})).await? != before.to_string() {
            break;
        }
        sleep(Duration::from_millis(50)).await;
    }
    equal(text(peer, "count_interrupted", json!({})).await?, (before + 1).to_string())
}

async fn check_resources(peer: &Peer) -> Outcome {
    let list = peer.list_all_resources().await.map_err(|error| error.to_string())?;
    for uri in ["demo://readme", "demo://picture", "demo://counter"] {
        holds(list.iter().any(|each| each.uri == uri), uri)?;
    }
    holds(read(peer, "demo://readme").await?.contains("demonstration"), "demo://readme")?;
    holds(read(peer, "demo://picture").await?.starts_with("iVBORw0KGgo"), "demo://picture")?;
    holds(read(peer, "demo://nothing").await.is_err(), "demo://nothing was read")
}

async fn check_templates(peer: &Peer) -> Outcome {
    let list = peer.list_all_resource_templates().await.map_err(|error| error.to_string())?;
    let mut templates: Vec<_> = list.iter().map(|each| each.uri_template.clone()).collect();
    templates.sort();
    equal(templates, vec!["demo://greeting/{name}".to_owned(), "demo://table/{table}/{row}".into()])?;
    equal(read(peer, "demo://greeting/Ada").await?, "Hello, Ada!".into())
}

async fn check_prompts(peer: &Peer) -> Outcome {
    let list = peer.list_all_prompts().await.map_err(|error| error.to_string())?;
    holds(list.iter().any(|each| each.name == "review"), "the prompt review is missing")?;
    let review = prompt(peer, "review", json!({"language": "cpp", "code": "int x;"})).await?;
    equal(review, "Review this C++ code:\n\nint x;".into())?;
    holds(prompt(peer, "review", json!({"language": "cobol", "code": "x"})).await.is_err(), "cobol was taken")
}

async fn check_completion(peer: &Peer) -> Outcome {
    let review = json!({"type": "ref/prompt", "name": "review"});
    let values = complete(peer, json!({"ref": review, "argument": {"name": "language", "value": "c"}})).await?;
    equal(values, vec!["c".to_owned(), "cpp".into()]) // 2025-03-26 has no completion context
}

async fn check_log(peer: &Peer) -> Outcome {
    peer.set_level(SetLevelRequestParam { level: LoggingLevel::Warning }).await.map_err(|error| error.to_string())?;
    call(peer, "log_everything", json!({})).await?;
    came(peer, &["emergency"]).await?;
    sleep(Duration::from_millis(200)).await; // rmcp handles notifications concurrently, in any order
    let mut levels = peer.service().all();
    levels.sort();
    equal(levels, ["alert", "critical", "emergency", "error", "warning"].map(String::from).to_vec())
}

async fn check_changes(peer: &Peer) -> Outcome {
    let uri = "demo://counter".to_owned();
    peer.subscribe(SubscribeRequestParam { uri }).await.map_err(|error| error.to_string())?;
    call(peer, "set_extras", json!({"on": true})).await?;
    let lists = came(peer, &["tools", "prompts", "resources"]).await;
    call(peer, "increment", json!({})).await?;
    let updated = came(peer, &["demo://counter"]).await;
    call(peer, "set_extras", json!({"on": false})).await?;
    lists.and(updated)
}

async fn check_parallel(peer: &Peer) -> Outcome {
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..100 {
        let peer = peer.peer().clone();
        calls.spawn(async move {
            let result = peer.call_tool(params("echo", json!({"text": number.to_string()}))).await;
            let value = serde_json::to_value(result.map_err(|error| error.to_string())?).unwrap();
            equal(value["content"][0]["text"].as_str(), Some(number.to_string().as_str()))
        });
    }
    calls.join_all().await.into_iter().collect()
}

async fn check(name: &str, peer: &Peer) -> Outcome {
    match name {
        "list" => {
            let tools = peer.list_all_tools().await.map_err(|error| error.to_string())?;
            holds(tools.iter().any(|tool| tool.name == "count_down"), "the tool count_down is missing")
        }
        "call" | "reuse" => equal(text(peer, "echo", json!({"text": "Grüße\n🙂"})).await?, "Grüße\n🙂".into()),
        "structured" => {
            let result = call(peer, "add", json!({"a": 1.5, "b": 2})).await?;
            equal(result["structuredContent"]["sum"].as_f64(), Some(3.5))
        }
        "errors" => check_errors(peer).await,
        "progress" => {
            call(peer, "count_down", json!({"from": 3, "delay_ms": 20})).await?;
            came(peer, &["1/3 2 to go", "2/3 1 to go", "3/3 0 to go"]).await
        }
        "cancel" => check_cancel(peer).await,
        "media" => {
            let mix = call(peer, "mix", json!({})).await?;
            let kinds = mix["content"].as_array().unwrap().iter().map(|block| block["type"].as_str().unwrap()).collect();
            // This client uses 2025-03-26, which has no links: the server sends text instead.
            equal(kinds, vec!["text", "image", "audio", "text", "resource"])
        }
        "resources" => check_resources(peer).await,
        "templates" => check_templates(peer).await,
        "prompts" => check_prompts(peer).await,
        "completion" => check_completion(peer).await,
        "elicitation" => {
            equal(text(peer, "book_table", json!({})).await?, "a table for 3 in the name of Ada, inside".into())?;
            let trip = text(peer, "plan_trip", json!({})).await?;
            holds(trip.ends_with(": Bergen on 2026-12-24"), &trip)
        }
        "sampling" => equal(text(peer, "ask_model", json!({"question": "?"})).await?, "test-model says: forty-two".into()),
        "roots" => equal(text(peer, "list_folders", json!({})).await?, "1 open folders\nfile:///tmp/work".into()),
        "log" => check_log(peer).await,
        "changes" => check_changes(peer).await,
        "large" => {
            let large = "0123456789".repeat(120_000);
            holds(text(peer, "echo", json!({"text": large})).await? == large, "another text came back")
        }
        "parallel" => check_parallel(peer).await,
        _ => Err("there is no such check".into()),
    }
}

async fn run(name: &str, transport: &str, address: &str) -> Outcome {
    // A client of rmcp cannot be reopened after it is closed: "reuse" opens another one and uses it twice.
    for _ in 0..if name == "reuse" { 2 } else { 1 } {
        let peer = connect(transport, address).await?;
        let outcome = check(name, &peer).await;
        peer.cancel().await.map_err(|error| error.to_string())?;
        outcome?;
    }
    Ok(())
}

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().collect();
    let all = ["list", "call", "structured", "errors", "progress", "cancel", "media", "resources", "templates", "prompts",
        "completion", "elicitation", "sampling", "roots", "log", "changes", "large", "parallel", "reuse"];
    for name in all {
        let outcome = timeout(Duration::from_secs(60), run(name, &words[1], &words[2])).await
            .unwrap_or_else(|_| Err("not done after 60 s".into()));
        match outcome {
            Ok(()) => println!("check {name} ok"),
            Err(why) => println!("check {name} fail {}", why.split_whitespace().collect::<Vec<_>>().join(" ")),
        }
    }
}
