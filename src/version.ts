import { readFileSync } from 'node:fs'

/** The version of this release. */
export function version(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
