import type { TestEvent } from 'node:test/reporters'

/** A reporter: the files of failed tests, one a line. */
// biome-ignore lint/style/noDefaultExport: Node loads a reporter by its default export.
export default async function* failedFiles(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files = new Set<string>()
  for await (const { type, data } of events) {
    // A file that ended before its tests did has no test: it is the name.
    if (type === 'test:fail') files.add(data.file ?? data.name)
  }
  for (const file of files) yield `${file}\n`
}
