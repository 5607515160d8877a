import type { ErrorDefinition, ErrorEffect } from './error-definition.ts'
import { ERRORS } from './error-table.ts'

const BY_STATUS: Readonly<Record<number, ErrorEffect>> = {
  308: 'absent',
  401: 'stop',
  403: 'stop',
  404: 'absent',
  409: 'stale',
  410: 'absent',
  412: 'stale',
  428: 'stale',
  429: 'stop',
}

/** What an error means to work on many items; a newer service can have codes that the table does not. */
export function toEffect({ code, status }: { readonly code: string; readonly status: number }): ErrorEffect {
  const table: Readonly<Record<string, ErrorDefinition>> = ERRORS
  return table[code]?.effect ?? BY_STATUS[status] ?? (status >= 500 ? 'stop' : 'item')
}
