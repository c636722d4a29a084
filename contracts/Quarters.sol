// SPDX-License-Identifier: Apache-2.0
pragma solidity 0.8.37;

import {AccessControl} from "@openzeppelin/contracts/access/AccessControl.sol";
import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {ERC20Capped} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Capped.sol";
import {ERC20Pausable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Pausable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";

/// @title Quarters, a game currency in whole units
/// @notice ERC-20 with 0 decimals, transfers by signature (ERC-3009), approvals by signature (ERC-2612), a pause and a
/// cap. The EIP-712 domain of both kinds of signature is name "Quarters", version "1", the chain id and this address.
contract Quarters is ERC20Capped, ERC20Pausable, ERC20Permit, ERC3009, AccessControl {
    bytes32 public constant MINTER_ROLE = keccak256("MINTER_ROLE");
    bytes32 public constant PAUSER_ROLE = keccak256("PAUSER_ROLE");

    /// @dev The largest integer a JSON number carries exactly. No balance can exceed the supply, so every balance,
    /// amount and sum of balances survives JSON. Larger amounts would be rounded silently by clients.
    uint256 private constant MAX_SUPPLY = 2 ** 53 - 1;

    /// @notice Whether the mint with this id has happened.
    mapping(bytes32 id => bool minted) public mintUsed;

    event Minted(bytes32 indexed id, address indexed to, uint256 amount);

    error MintAlreadyUsed(bytes32 id);

    /// @param admin receives all three roles
    /// @param treasury receives `initialSupply`; everything the service issues is a transfer from there
    constructor(
        address admin,
        address treasury,
        uint256 initialSupply
    ) ERC20("Quarters", "Q") ERC20Capped(MAX_SUPPLY) ERC20Permit("Quarters") {
        _grantRole(DEFAULT_ADMIN_ROLE, admin);
        _grantRole(MINTER_ROLE, admin);
        _grantRole(PAUSER_ROLE, admin);
        _mint(treasury, initialSupply);
    }

    /// @notice Creates `amount` quarters, once per `id`.
    /// @dev A mint has no signature nonce to make it unique, and a sender that lost the answer cannot know whether its
    /// transaction was mined. With the id it can send the mint again at any time: the second one reverts.
    function mint(address to, uint256 amount, bytes32 id) external onlyRole(MINTER_ROLE) {
        require(!mintUsed[id], MintAlreadyUsed(id));
        mintUsed[id] = true;
        _mint(to, amount);
        emit Minted(id, to, amount);
    }

    /// @notice Stops every movement of quarters. Signed authorizations stay valid and work again after {unpause}.
    function pause() external onlyRole(PAUSER_ROLE) {
        _pause();
    }

    function unpause() external onlyRole(PAUSER_ROLE) {
        _unpause();
    }

    /// @notice Quarters are indivisible.
    function decimals() public pure override returns (uint8) {
        return 0;
    }

    /// @dev Transfers, authorizations and mints all end here, so the pause and the cap hold for all of them.
    function _update(address from, address to, uint256 value) internal override(ERC20, ERC20Capped, ERC20Pausable) {
        super._update(from, to, value);
    }
}
