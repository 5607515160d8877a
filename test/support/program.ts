import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFolder } from '../../bin/built-program.js'

/**
 * The program under test: the bundle, which `npm start` runs and whose folder global-setup.ts names; where a file is
 * run alone the sources.
 */
export const { createApp }: typeof import('../../packages/server/src/app/app.ts') = await import(programFile())

function programFile(): string {
  const built = process.env.RECTO_BUILT
  if (built === undefined || built === '0') return '../../packages/server/src/app/app.ts'
  const folder = built === '1' ? builtFolder() : built
  if (folder === undefined) throw new Error('There is no bundle of the present sources: npm run build')
  return pathToFileURL(join(folder, 'app.js')).href
}
