import { isJsonObject } from '@recto/lib/json/json.ts'
import type { Caller } from '../../access/caller.ts'
import { includesScope } from '../../access/caller.ts'
import type { Tool } from './tool.ts'
import { editPageTool, writePageTool } from './tools/change-pages.ts'
import {
  getChangeRequestTool,
  listChangeRequestsTool,
  mergeChangeRequestTool,
  reviewChangeRequestTool,
} from './tools/change-requests.ts'
import { commentTool, listCommentsTool } from './tools/comments.ts'
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
  listChangeRequestsTool,
  getChangeRequestTool,
  reviewChangeRequestTool,
  mergeChangeRequestTool,
  listCommentsTool,
  commentTool,
]

/** Deprecated tools of earlier releases: they can be called, but are not listed. */
const UNLISTED: readonly Tool[] = [getBrokenLinks, patchMetadataTool]

/**
 * The list of the tools that the scope of the caller's credential allows, and of those whose scope an app can still
 * request.
 */
export function listTools(actor: Caller): ReturnType<Tool['describe']>[] {
  if (actor.visitor !== undefined) {
    return TOOLS.filter((tool) => allows(actor, tool)).map((tool) => tool.describe('visit'))
  }
  const mayAsk = actor.app !== undefined && !includesScope(actor.app.requestedScope, 'write')
  const mayWrite = mayAsk || includesScope(actor.scope, 'write')
  return TOOLS.filter((tool) => mayWrite || allows(actor, tool)).map((tool) =>
    tool.describe(mayWrite ? 'write' : 'propose'),
  )
}

/** Whether a message, or one of a batch, calls a tool for which the app that sent it lacks the scope. */
export function lacksScope(actor: Caller, body: unknown): boolean {
  return [body].flat().some((message) => {
    if (!isJsonObject(message) || message.method !== 'tools/call' || !isJsonObject(message.params)) return false
    const tool = findTool(String(message.params.name))
    return tool !== undefined && !allows(actor, tool, message.params.arguments)
  })
}

export function findTool(name: string): Tool | undefined {
  return [...TOOLS, ...UNLISTED].find((tool) => tool.name === name)
}

/** Whether the caller may use a tool; with `args`, whether they may call it so: who only proposes names where. */
export function allows({ scope, visitor }: Caller, tool: Tool, args?: unknown): boolean {
  if (visitor !== undefined) return tool.visitors !== undefined
  if (includesScope(scope, tool.scope)) return true
  const isProposal = args === undefined || (isJsonObject(args) && Boolean(args.changeRequest))
  return tool.proposes && isProposal && includesScope(scope, 'propose')
}
