#!/usr/bin/env node
// Written for any Node, to say clearly when it is too old.
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `reelwright needs Node 22.13 or newer, and this is Node ${process.versions.node} (${process.execPath}).\n` +
      'Install a newer one from https://nodejs.org, then start reelwright again.',
  )
  process.exit(1)
}
await import('../dist/src/main.js')
