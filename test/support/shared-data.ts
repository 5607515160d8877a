import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const data = join(import.meta.dirname, '../../../shared/data')

/** Options for a test that reads shared data: it is skipped, with a line that says so, where that is absent. */
export const withSharedData = existsSync(data) ? {} : { skip: `there is no data at ${data}` }

/** A JSON file of the shared data. Its shape is the caller's to know. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(data, path), 'utf8')) as T
}
