import { fileRoutes, rawFileRoutes } from './file-routes.ts'
import { pageRoutes, rawPageRoutes } from './page-routes.ts'
import type { RawRoute, Route } from './route.ts'
import { rawServiceRoutes, serviceRoutes } from './service-routes.ts'
import { rawTaskRoutes, taskRoutes } from './task-routes.ts'

/** Endpoints whose answer is the JSON envelope. */
export const routes = { ...fileRoutes, ...taskRoutes, ...serviceRoutes, ...pageRoutes } as const

/** Endpoints that answer bytes, a socket or JSON without an envelope. */
export const rawRoutes = {
  ...rawFileRoutes,
  ...rawTaskRoutes,
  ...rawServiceRoutes,
  ...rawPageRoutes,
} as const

/** All of them by their names, group by group. */
export const endpoints: Readonly<Record<string, Route | RawRoute>> = {
  ...{ ...fileRoutes, ...rawFileRoutes },
  ...{ ...taskRoutes, ...rawTaskRoutes },
  ...{ ...serviceRoutes, ...rawServiceRoutes },
  ...{ ...pageRoutes, ...rawPageRoutes },
}

/** Fills the parameters of a path, escaped. */
export function fillPath(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = parameters[name]
    if (value === undefined) throw new TypeError(`path parameter ${name} missing for ${path}`)
    return encodePathSegment(value)
  })
}

/** What cannot be escaped is no id either: half a character, and `..`, which leads elsewhere in every form (URL standard). */
function encodePathSegment(value: string): string {
  return encodeURIComponent(/^\.\.?$/.test(value) ? '\ufffd' : value.toWellFormed())
}

/** The relative address of a file's bytes, as `download_url`. */
export function downloadUrl(fileId: string): string {
  return fillPath(rawRoutes.downloadFile.path, { file_id: fileId })
}
