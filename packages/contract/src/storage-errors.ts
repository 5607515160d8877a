import type { ErrorDefinition } from './error-definition.ts'

/** The errors of the disk of the database. */
export const STORAGE_ERRORS = {
  storage_full: {
    status: 507,
    title: 'The storage is full',
    explanation: 'Nothing was written. Reads still work. Writes work again once there is free space.',
    commandAdvice: 'The disk of the service is full; an operator has to free space.',
    screenAdvice: 'The disk of the service is full. Send the request ID below to your administrator.',
  },
  storage_damaged: {
    status: 500,
    effect: 'item',
    title: 'What is stored is damaged',
    explanation:
      'The disk of the database returned other bytes than were written. Other pages are served. ' +
      'The log names the place; restore a backup from before.',
    commandAdvice: 'See the log of the service, and restore a backup from before the damage.',
    screenAdvice: 'A part of the database is damaged. Send the request ID below to your administrator.',
  },
} as const satisfies Readonly<Record<string, ErrorDefinition>>
