// Tests of networks: which addresses count as one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientNetworkOf } from './client-network.ts'

test('networkOf() gives an IPv4 address as it is, however it is written', () => {
  assert.equal(clientNetworkOf('192.0.2.7'), '192.0.2.7')
  assert.equal(clientNetworkOf('::ffff:192.0.2.7'), '192.0.2.7')
})

test('networkOf() gives the first 64 bits of an IPv6 address, however it is written', () => {
  for (const address of [
    '2001:db8:0:7::1',
    '2001:0DB8:0000:0007:ffff:0:0:9',
    '2001:db8:0:7:a::',
    '2001:db8::7:1:2:3:4',
  ]) {
    assert.equal(clientNetworkOf(address), '2001:db8:0:7::/64', address)
  }
  assert.equal(clientNetworkOf('::1'), '0:0:0:0::/64')
  assert.equal(clientNetworkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
})
