export function restartWithMemoryOptions(): void
export function semiSpaceMb(bytes: number): number
