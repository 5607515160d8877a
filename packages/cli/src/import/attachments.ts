import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject } from '@recto/lib/json/json.ts'

/** The folder for attachments in the settings of a vault; the root where none is set. */
export function attachmentFolder(vault: string): string {
  try {
    const settings: unknown = JSON.parse(readFileSync(join(vault, '.obsidian', 'app.json'), 'utf8'))
    const folder = isJsonObject(settings) ? settings.attachmentFolderPath : undefined
    return typeof folder === 'string' ? folder : '/'
  } catch {
    return '/' // a vault without readable settings has the defaults
  }
}
