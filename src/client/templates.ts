import { askJson, jsonBody, read } from './json.ts'
import { type ListCall, type Listing, listing } from './paging.ts'
import { type Call, type Connection, send } from './request.ts'
import type {
  CreatedSpace,
  NewSpace,
  PageTemplate,
  Snapshot,
  SpaceTemplate,
  SpaceTemplateItem,
  TemplateSource,
} from './types.ts'

/** Templates of pages and of spaces. */
export interface TemplateMethods {
  listTemplates(
    options?: ListCall & {
      readonly space?: string | undefined
      readonly includeContent?: boolean | undefined
    },
  ): Listing<PageTemplate>
  listSpaceTemplates(
    options?: ListCall & { readonly source?: TemplateSource | undefined },
  ): Listing<SpaceTemplateItem>
  getSpaceTemplate(source: TemplateSource, id: string, call?: Call): Promise<SpaceTemplate>
  /** Makes a space with all pages of a template, or nothing. */
  createSpaceFromTemplate(
    source: TemplateSource,
    id: string,
    space: NewSpace,
    call?: Call,
  ): Promise<CreatedSpace>
  /** Keeps a space as a template of the organisation; the same id replaces. For organisation admins. */
  storeSpaceTemplate(snapshot: Snapshot, call?: Call): Promise<SpaceTemplateItem>
  /** Removes a template of the organisation; for its admins. */
  deleteSpaceTemplate(id: string, call?: Call): Promise<void>
}

/** The methods of templates. */
export function templateMethods(connection: Connection): TemplateMethods {
  const at = (source: TemplateSource, id: string) =>
    `/space-templates/${encodeURIComponent(source)}/${encodeURIComponent(id)}`
  return {
    listTemplates: (options = {}) => listing(connection, '/templates', { ...options }),
    listSpaceTemplates: (options = {}) => listing(connection, '/space-templates', { ...options }),

    getSpaceTemplate: (source, id, { signal } = {}) =>
      askJson(connection, { ...read, target: at(source, id), signal }),

    createSpaceFromTemplate: (source, id, space, { signal } = {}) =>
      askJson(connection, { method: 'POST', target: `${at(source, id)}/spaces`, ...jsonBody(space), signal }),

    storeSpaceTemplate: (snapshot, { signal } = {}) =>
      askJson(connection, { method: 'POST', target: '/space-templates/org', ...jsonBody(snapshot), signal }),

    async deleteSpaceTemplate(id, { signal } = {}) {
      await send(connection, { method: 'DELETE', target: at('org', id), signal })
    },
  }
}
