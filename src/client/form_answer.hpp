// The answer to a form: defaults filled in and checked before it leaves (client/elicitation).
#pragma once

#include "lanyard/error.hpp"
#include "lanyard/protocol/elicitation.hpp"
#include "lanyard/result.hpp"

namespace lanyard::client {

/// Completes an accepted answer with the defaults of the fields it leaves out and checks it; an
/// answer that is not accepted loses its content. Fails with protocol_violation, naming the field.
Result<void> complete_form_answer(FormSchema const& schema, ElicitResult& answer);

}  // namespace lanyard::client
