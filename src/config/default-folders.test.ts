import { describe, expect, test } from 'vitest'
import { dataFolderParts } from '../daemon/data-files.ts'
import { isInside } from '../platform/paths.ts'
import { privateFolderByName } from '../platform/private-folders.ts'
import { userDataFolder, userWorkspace } from './default-folders.ts'

const users = [
  { platform: 'linux', home: '/home/u', appData: undefined },
  { platform: 'linux', home: '/home/u', appData: '/home/u/.data' },
  { platform: 'darwin', home: '/Users/u', appData: undefined },
  { platform: 'win32', home: String.raw`C:\Users\u`, appData: undefined },
  { platform: 'win32', home: String.raw`C:\Users\u`, appData: String.raw`C:\Users\u\AppData\Local` },
] as const

describe.each(users)('the default folders on $platform ($appData)', (user) => {
  const [dataDir, workspace] = [userDataFolder(user), userWorkspace(user)]

  test('do not contain each other', () => {
    expect(isInside(dataDir, workspace, user.platform)).toBe(false)
    expect(isInside(workspace, dataDir, user.platform)).toBe(false)
  })

  test('the data folder is private also if the whole home folder is allowed', () => {
    expect(isInside(user.home, dataDir, user.platform)).toBe(true)
    const separator = user.platform === 'win32' ? '\\' : '/'
    for (const path of [dataDir, [dataDir, 'reelwright.config.json'].join(separator)]) {
      expect(privateFolderByName(dataFolderParts(dataDir), path, user.platform)).toBeDefined()
    }
    expect(privateFolderByName(dataFolderParts(dataDir), workspace, user.platform)).toBeUndefined()
  })
})

test.each(['darwin', 'win32'] as const)(
  'on %s, a data folder named like the workspace contains it',
  (platform) => {
    const home = platform === 'win32' ? String.raw`C:\Users\u` : '/Users/u'
    const workspace = userWorkspace({ platform, home })
    const parts = [{ path: workspace.replace('Reelwright', 'reelwright'), use: 'data folder' }]
    expect(privateFolderByName(parts, workspace, platform)).toBeDefined()
  },
)
