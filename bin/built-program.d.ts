export const OUTPUT: string
export function builtFolder(): string | undefined
export function sourcesDigest(): string
