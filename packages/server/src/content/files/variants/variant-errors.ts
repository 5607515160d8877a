import { AppError } from '@recto/contract/errors.ts'

/** The error for a variant that cannot be created, by its stored failure. */
export function noVariant(failure: string | null): AppError {
  return new AppError(
    'no_variant',
    failure?.startsWith('too_expensive')
      ? 'The image takes more memory or processor time than a variant may.'
      : 'The image cannot be decoded.',
  )
}
