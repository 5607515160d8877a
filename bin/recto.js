#!/usr/bin/env node
/**
 * Starts the program with Node's compile cache on: the bundle of the present sources, or else the sources. The files in
 * this folder are JavaScript, because the module that strips types takes a sixth of the memory of an idle Recto.
 */
import * as nodeModule from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { builtFolder } from './built-program.js'
import { restartWithMemoryOptions } from './memory-options.js'

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(`recto: Node ${process.versions.node} is too old; \`npm start\` brings its own Node 24\n`)
  process.exit(70)
}
if (process.argv[2] === 'serve') restartWithMemoryOptions()
// Beside the code, where nobody may write who may not change the code as well.
nodeModule.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/recto'))
const folder = builtFolder()
await import(folder === undefined ? '../packages/server/src/app/main.ts' : pathToFileURL(join(folder, 'main.js')).href)
