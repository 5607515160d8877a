import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../../test/support/property.ts'
import { eventData, streamEvents } from './event-stream.ts'

/** The data of a stream that comes in chunks which are cut at these bytes. */
async function read(text: string, cuts: readonly number[]): Promise<string[]> {
  const bytes = new TextEncoder().encode(text)
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  let from = 0
  const chunks = ends.map((end) => {
    const chunk = bytes.slice(from, end)
    from = end
    return chunk
  })
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
  const events: string[] = []
  for await (const data of eventData(stream)) events.push(data)
  return events
}

test('events are parsed for any chunking and any line breaks of the stream', async () => {
  const stream =
    ': hello\nevent: message\r\ndata: {"a":"ü\u2028"}\r\n\r\ndata\ndata:  two\rdata: three\r\rid: 5\n\ndata: unfinished'
  const cuts = fc.array(fc.nat(200), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(cuts, async (at) => {
      assert.deepEqual(await read(stream, at), ['{"a":"ü\u2028"}', '\n two\nthree'])
    }),
  )
})

test('a silent stream fails and is cancelled; a slow reader is no silence', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const cancelled = Promise.withResolvers<void>()
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const data of ['a', 'b']) controller.enqueue(new TextEncoder().encode(`data: ${data}\n\n`))
    },
    cancel: () => cancelled.resolve(),
  })
  const seen: string[] = []
  const reading = async () => {
    for await (const { data } of streamEvents(stream, 20)) {
      seen.push(data)
      // The reader takes three times as long as a silence may last.
      t.mock.timers.tick(60)
    }
  }
  const rejected = assert.rejects(reading(), /nothing arrived for 20 ms/)
  while (seen.length < 2) await Promise.resolve()
  // The stream is read again before the clock goes on.
  await new Promise(setImmediate)
  t.mock.timers.tick(20)
  await rejected
  await cancelled.promise
  assert.deepEqual(seen, ['a', 'b'])
})
