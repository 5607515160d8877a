#!/usr/bin/env node
/**
 * Starts src/main.ts with Node's compile cache on. This file is JavaScript so that a later start has nothing to strip:
 * to load the stripper alone takes a sixth of the memory that an idle Recto has.
 */
import { existsSync } from 'node:fs'
import * as nodeModule from 'node:module'
import { join } from 'node:path'

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `recto: Node ${process.versions.node} is too old; \`npm start\` brings its own Node 24\n`,
  )
  process.exit(70)
}
// Beside the code, where nobody may write who may not change the code as well.
nodeModule.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/recto'))
// The package brings JavaScript alone: below node_modules nothing is stripped.
const fromSource = existsSync(join(import.meta.dirname, '../src/main.ts'))
await import(fromSource ? '../src/main.ts' : '../build/main.js')
