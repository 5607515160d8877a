import { type TString, type TStringOptions, Type } from 'typebox'

export const NUL_FREE = '^[^\\u0000]*$'

/** Text that can be stored: any character but NUL. Lone surrogates cannot pass JSON or a URL. */
export function text(options: Omit<TStringOptions, 'pattern'> = {}): TString {
  return Type.String({ ...options, pattern: NUL_FREE })
}
