import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFolder } from '../../bin/built-program.js'

/** The program under test: the sources, or with `RECTO_BUILT=1` the bundle of `npm run build`, which `npm start` runs. */
export const { createApp }: typeof import('../../src/app.ts') = await import(
  process.env.RECTO_BUILT === '1' ? pathToFileURL(builtApp()).href : '../../src/app.ts'
)

function builtApp(): string {
  const folder = builtFolder()
  if (folder === undefined) throw new Error('There is no bundle of the present sources: npm run build')
  return join(folder, 'app.js')
}
