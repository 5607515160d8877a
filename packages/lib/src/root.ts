import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folder of the program, with its licence: bundled modules are not where their sources are. */
export const ROOT = folderWith('LICENSE', import.meta.dirname)

function folderWith(name: string, from: string): string {
  const parent = dirname(from)
  return existsSync(join(from, name)) || parent === from ? from : folderWith(name, parent)
}
