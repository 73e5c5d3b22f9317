import { posix, win32 } from 'node:path'
import type { Platform } from '../platform/paths.ts'

/** What decides where the default folders of a user are. */
export interface UserEnvironment {
  readonly platform: Platform
  /** Home folder of the user. */
  readonly home: string
  /** `LOCALAPPDATA` of Windows, or `XDG_DATA_HOME` of Linux; undefined if not set. */
  readonly appData: string | undefined
}

/** Folder for results when none is configured. */
export function userWorkspace({ platform, home }: Omit<UserEnvironment, 'appData'>): string {
  return pathsOf(platform).join(home, 'Reelwright')
}

/** Data folder when none is configured: where programs keep the data of a user, apart from documents. */
export function userDataFolder({ platform, home, appData }: UserEnvironment): string {
  const { join } = pathsOf(platform)
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support', 'reelwright')
    case 'win32':
      return join(appData ?? join(home, 'AppData', 'Local'), 'reelwright')
    default:
      return join(appData ?? join(home, '.local', 'share'), 'reelwright')
  }
}

function pathsOf(platform: Platform): typeof posix {
  return platform === 'win32' ? win32 : posix
}
