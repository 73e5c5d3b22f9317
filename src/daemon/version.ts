/** Tells whether one version (major.minor.patch, perhaps -prerelease) is newer than another. */
export function isNewerVersion(version: string, than: string): boolean {
  const ours = parseVersion(version)
  const theirs = parseVersion(than)
  if (!ours || !theirs) return false
  const difference = ours.numbers.map((number, index) => number - (theirs.numbers[index] ?? 0)).find(Boolean)
  if (difference !== undefined) return difference > 0
  // A release is newer than its prereleases.
  if (ours.prerelease === '' || theirs.prerelease === '') return ours.prerelease < theirs.prerelease
  return ours.prerelease.localeCompare(theirs.prerelease, 'en', { numeric: true }) > 0
}

function parseVersion(version: string) {
  const [, release, prerelease = ''] = /^(\d+\.\d+\.\d+)(?:-([\w.-]+))?(?:\+.*)?$/.exec(version) ?? []
  return release === undefined ? null : { numbers: release.split('.').map(Number), prerelease }
}
