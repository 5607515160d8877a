import { isJsonObject } from '@recto/lib/json/json.ts'
import type { Caller } from '../../access/caller.ts'
import { includesScope } from '../../access/caller.ts'
import type { Tool } from './tool.ts'
import { editPageTool, writePageTool } from './tools/change-pages.ts'
import { compare } from './tools/compare.ts'
import { getFileTool, listFilesTool, putFileTool } from './tools/files.ts'
import { find } from './tools/find.ts'
import { listPages, search } from './tools/find-pages.ts'
import { getChanges } from './tools/get-changes.ts'
import { getPage } from './tools/get-page.ts'
import { getPages } from './tools/get-pages.ts'
import { getPageHistory } from './tools/history.ts'
import { deletePageTool, movePageTool, restorePageTool } from './tools/lifecycle.ts'
import { getMetadata, patchMetadataTool } from './tools/metadata.ts'
import { getBrokenLinks, getPageLinks } from './tools/page-links.ts'
import { listMetadataKeys, queryMetadata } from './tools/query-metadata.ts'
import { replaceTextTool } from './tools/replace-text.ts'
import { listReports } from './tools/reports.ts'
import { listSpaces, whoami } from './tools/spaces.ts'
import { listTemplates } from './tools/templates.ts'
import { updateMetadataTool } from './tools/update-metadata.ts'

const TOOLS: readonly Tool[] = [
  whoami,
  listSpaces,
  listPages,
  find,
  search,
  getPage,
  getPages,
  getPageLinks,
  getPageHistory,
  compare,
  getChanges,
  listReports,
  listFilesTool,
  getFileTool,
  writePageTool,
  editPageTool,
  movePageTool,
  deletePageTool,
  restorePageTool,
  replaceTextTool,
  putFileTool,
  getMetadata,
  updateMetadataTool,
  queryMetadata,
  listMetadataKeys,
  listTemplates,
]

/** Deprecated tools of earlier releases: they can be called, but are not listed. */
const UNLISTED: readonly Tool[] = [getBrokenLinks, patchMetadataTool]

/** The tools that the scope of the caller's credential allows, and those whose scope an app can still request. */
export function toolsFor(actor: Caller): readonly Tool[] {
  const mayAsk = actor.app !== undefined && !includesScope(actor.app.requestedScope, 'write')
  return TOOLS.filter((tool) => mayAsk || allows(actor, tool))
}

/** Whether a message, or one of a batch, calls a tool for which the app that sent it lacks the scope. */
export function lacksScope(actor: Caller, body: unknown): boolean {
  return [body].flat().some((message) => {
    if (!isJsonObject(message) || message.method !== 'tools/call' || !isJsonObject(message.params)) return false
    const tool = findTool(String(message.params.name))
    return tool !== undefined && !allows(actor, tool)
  })
}

export function findTool(name: string): Tool | undefined {
  return [...TOOLS, ...UNLISTED].find((tool) => tool.name === name)
}

export function allows(actor: Caller, tool: Tool): boolean {
  return includesScope(actor.scope, tool.scope)
}
