/** Types of accounts. Internal ones are those of the operator's own people and services. */
export const accountTypes = ['standard', 'internal'] as const
export type AccountType = (typeof accountTypes)[number]
