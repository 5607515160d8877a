/** A server-sent event; `id` is the last event id of the stream. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly data: string
}

/** Parser of server-sent events (`text/event-stream`, WHATWG HTML section 9.2). Yields events that have data. */
export async function* streamEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  let data: string[] = []
  let id: string | undefined
  for await (const line of linesOf(body)) {
    if (line === '') {
      if (data.length > 0) yield { id, data: data.join('\n') }
      data = []
    } else if (line === 'data' || line.startsWith('data:')) {
      data.push(line.slice('data:'.length).replace(/^ /, ''))
    } else if (line.startsWith('id:')) {
      id = line.slice('id:'.length).replace(/^ /, '')
    }
  }
}

/** The same, without ids. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const { data } of streamEvents(body)) yield data
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(body)) {
    rest += decoder.decode(chunk, { stream: true })
    // CR LF can be split between two chunks.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    yield* lines
  }
}

/** Uses a reader, because not every browser can iterate a stream. Leaving the loop cancels the stream. */
async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  let ended = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      ended = done
      if (done) return
      yield value
    }
  } catch (error) {
    ended = true
    throw error
  } finally {
    if (!ended) await reader.cancel()
  }
}
