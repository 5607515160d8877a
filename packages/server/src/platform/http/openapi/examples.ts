/** A call of an operation, with the response that the service gave. */
interface Example {
  /** Values of parameters by their names. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The JSON that was sent. */
  readonly request?: unknown
  readonly status: number
  /** The JSON that was received. */
  readonly response?: unknown
}

/** Examples by the id of their operation. */
export type Examples = Readonly<Record<string, Example>>

type Content = Readonly<Record<string, { example?: unknown }>>

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; example?: unknown }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}

/** Adds the example of each operation to its parameters, to its body and to the response. */
export function addExamples(paths: object, examples: Examples): void {
  for (const methods of Object.values(paths)) {
    // The operations that the generator creates from routes.
    for (const operation of Object.values(methods as Record<string, Operation>)) {
      const example = examples[operation.operationId]
      if (example) addExample(operation, example)
    }
  }
}

function addExample(
  { parameters = [], requestBody, responses }: Operation,
  { parameters: values, request, status, response }: Example,
): void {
  for (const parameter of parameters) {
    if (parameter.name in values) parameter.example = values[parameter.name]
  }
  const sentContent = requestBody?.content['application/json']
  if (sentContent && request !== undefined) sentContent.example = request
  const receivedContent = responses[status]?.content?.['application/json']
  if (receivedContent && response !== undefined) receivedContent.example = response
}
