export const OUTPUT: string
export function builtFolder(): string | undefined
export function outdatedFolders(): string[]
export function sourcesDigest(): string
