export const libraryScopes = ['clip', 'image', 'audio'] as const
export type LibraryScope = (typeof libraryScopes)[number]
