import type { Caller } from '../access/caller.ts'
import { scopeRank } from '../access/caller.ts'
import type { Tool } from './tool.ts'
import { editPageTool, writePageTool } from './tools/change-pages.ts'
import { listPages, search } from './tools/find-pages.ts'
import { getPage } from './tools/get-page.ts'
import { getPageHistory } from './tools/history.ts'
import { getMetadata, patchMetadataTool } from './tools/metadata.ts'
import { getBrokenLinks, getPageLinks } from './tools/page-links.ts'
import { listMetadataKeys, queryMetadata } from './tools/query-metadata.ts'
import { listSpaces, whoami } from './tools/spaces.ts'
import { listTemplates } from './tools/templates.ts'

const TOOLS: readonly Tool[] = [
  whoami,
  listSpaces,
  listPages,
  search,
  getPage,
  getPageLinks,
  getPageHistory,
  getBrokenLinks,
  writePageTool,
  editPageTool,
  getMetadata,
  patchMetadataTool,
  queryMetadata,
  listMetadataKeys,
  listTemplates,
]

/** The tools that the scope of the caller's credential allows. */
export function toolsFor(actor: Caller): readonly Tool[] {
  return TOOLS.filter((tool) => allows(actor, tool))
}

export function findTool(name: string): Tool | undefined {
  return TOOLS.find((tool) => tool.name === name)
}

export function allows(actor: Caller, tool: Tool): boolean {
  return scopeRank(actor.scope) >= scopeRank(tool.scope)
}
