/** A server-sent event; `id` is the last event id of the stream. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly data: string
}

/**
 * Parser of server-sent events (`text/event-stream`, WHATWG HTML section 9.2). Yields events that have data. Throws when
 * nothing, not even a comment, arrives for `maxSilenceMs`.
 */
export async function* streamEvents(
  body: ReadableStream<Uint8Array>,
  maxSilenceMs?: number,
): AsyncGenerator<StreamEvent> {
  let data: string[] = []
  let id: string | undefined
  for await (const line of linesOf(body, maxSilenceMs)) {
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

async function* linesOf(body: ReadableStream<Uint8Array>, maxSilenceMs?: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunksOf(body, maxSilenceMs)) {
    rest += decoder.decode(chunk, { stream: true })
    // CR LF can be split between two chunks.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    yield* lines
  }
}

/** Uses a reader, because not every browser can iterate a stream. Leaving the loop cancels the stream. */
async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  maxSilenceMs: number | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    while (true) {
      const read = reader.read()
      const { done, value } = await (maxSilenceMs === undefined ? read : within(maxSilenceMs, read))
      if (done) return
      yield value
    }
  } finally {
    // Rejects with the error of a stream that has failed.
    await reader.cancel().catch(() => undefined)
  }
}

function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`nothing arrived for ${ms} ms`)), ms)
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
