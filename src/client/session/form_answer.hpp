// The answer to a form: fills in defaults and checks the answer before it is sent (MCP
// specification, client/elicitation).
#pragma once

#include "lanyard/error.hpp"
#include "lanyard/protocol/elicitation.hpp"
#include "lanyard/result.hpp"

namespace lanyard::client {

/// Adds the defaults of missing fields to an accepted answer and checks the answer; clears the
/// content of an answer that is not accepted. Fails with protocol_violation if the answer does not
/// fit the form.
Result<void> complete_form_answer(FormSchema const& schema, ElicitResult& answer);

}  // namespace lanyard::client
