/** One event of a stream; `id` is the last one that the stream named. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly data: string
}

/** Every event of a `text/event-stream` that has data (WHATWG HTML, section 9.2), as they come. */
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

/** The data alone. */
export async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const { data } of streamEvents(body)) yield data
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(body)) {
    rest += decoder.decode(chunk, { stream: true })
    // A line break of two characters may be cut between two chunks.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    yield* lines
  }
}

/** By its reader: not every browser can iterate a stream. Who leaves early ends the stream. */
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
