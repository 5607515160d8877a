/** The lines of a body as they arrive, without their ends. Throws when nothing arrives for `maxSilenceMs`. */
export async function* readLines(body: ReadableStream<Uint8Array>, maxSilenceMs?: number): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of readChunks(body, maxSilenceMs)) {
    const text = decoder.decode(chunk, { stream: true })
    const before = rest
    rest += text
    // A long line is not searched again with each of its chunks.
    if (!/[\r\n]/.test(text) && !before.endsWith('\r')) continue
    // CR LF can be split between two chunks.
    const end = rest.endsWith('\r') ? rest.length - 1 : rest.length
    const lines = rest.slice(0, end).split(/\r\n|\n|\r/)
    rest = (lines.pop() ?? '') + rest.slice(end)
    yield* lines
  }
}

/** Uses a reader, because not every browser can iterate a stream. Leaving the loop cancels the stream. */
export async function* readChunks(
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
