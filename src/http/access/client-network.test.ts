// Tests of networks: which addresses count as the same network.
import assert from 'node:assert/strict'
import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { clientNetworkOf, dropForwardedPorts } from './client-network.ts'

test('clientNetworkOf() returns a whole IPv4 address, however it is written', () => {
  assert.equal(clientNetworkOf('192.0.2.7'), '192.0.2.7')
  for (const address of [
    '::ffff:192.0.2.7',
    '::FFFF:192.0.2.7',
    '::ffff:c000:207',
    '0:0:0:0:0:ffff:c000:0207',
    '64:ff9b::192.0.2.7',
    '64:ff9b::c000:207',
    '192.0.2.7:51234',
    '[::ffff:192.0.2.7]:443',
  ]) {
    assert.equal(clientNetworkOf(address), '192.0.2.7', address)
  }
})

test('clientNetworkOf() returns the first 64 bits of an IPv6 address, however it is written', () => {
  for (const address of [
    '2001:db8:0:7::1',
    '2001:0DB8:0000:0007:ffff:0:0:9',
    '2001:db8:0:7:a::',
    '2001:db8::7:1:2:3:4',
    '2001:db8:0:7::192.0.2.7',
    '[2001:db8:0:7::1]:443',
    '[2001:db8:0:7::1]',
  ]) {
    assert.equal(clientNetworkOf(address), '2001:db8:0:7::/64', address)
  }
  assert.equal(clientNetworkOf('::1'), '0:0:0:0::/64')
  assert.equal(clientNetworkOf('fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('clientNetworkOf() returns anything but an address unchanged', () => {
  for (const text of ['unknown', '', '1:2:3', 'a:b', '::ffff:999.1.1.1'])
    assert.equal(typeof clientNetworkOf(text), 'string')
  assert.equal(clientNetworkOf('unknown'), 'unknown')
})

test('dropForwardedPorts() removes the ports that proxies append', () => {
  for (const [given, expected] of [
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.7:51234, [2001:db8::1]:443,10.0.0.1', '203.0.113.7, 2001:db8::1, 10.0.0.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
    ['unknown', 'unknown'],
  ] as const) {
    const request = new IncomingMessage(new Socket())
    request.headers['x-forwarded-for'] = given
    dropForwardedPorts(request)
    assert.equal(request.headers['x-forwarded-for'], expected)
  }
})
